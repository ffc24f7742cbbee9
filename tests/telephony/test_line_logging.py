"""What the line process writes to stderr when something breaks."""

import subprocess
import sys

_BREAKS = """
import structlog
from appliance.logs import configure_logging
configure_logging()
def digit_comes(digit):
    raise RuntimeError("broken")
try:
    digit_comes("9" + "0210")
except RuntimeError:
    structlog.get_logger().exception("digit failed", call=1)
"""


def test_a_traceback_holds_no_values() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BREAKS], capture_output=True, text=True, check=True
    )
    assert "RuntimeError" in done.stderr
    assert "digit failed" in done.stderr
    assert "90210" not in done.stderr
