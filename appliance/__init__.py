"""A telephone extension that hears, decides and speaks on its own box.

The one statement is here because it must come before onnxruntime is loaded: from 1.31 on its Linux
builds look up a server of their maker and send it reports, unless this variable is set.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
