"""The agent's side never loads the SIP library."""

from __future__ import annotations

import subprocess
import sys


def test_switch_does_not_import_pjsua2() -> None:
    program = "import sys, appliance.telephony.switch; print('pjsua2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
