"""The operator's own files: can the agent read them, which is not root as who looks here is?

Accounts hold what people owe, so an operator closes the file; the agent must be let in even so.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from pathlib import Path

from appliance.checkup.finding import Finding, fail
from appliance.config import Config

AGENT_USER = "appliance"
INSTALLED = Path("/etc/appliance/appliance.toml")
"""Whose agent is a service; any other configuration is run by who looks at it."""

_HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108 - as the unit has it
_ASK_S = 10


def check_readable(check: str, path: Path, config: Config) -> list[Finding]:
    """A finding for each file that the agent's service could not read.

    Args:
        check: what the findings are called.
        path: of the configuration.
        config: what it says.
    """
    if path != INSTALLED:
        return []
    files = [("call.flow", Path(config.call.flow))] if "/" in config.call.flow else []
    if config.call.accounts is not None:
        files.append(("call.accounts", config.call.accounts))
    return [each for key, file in files for each in unreadable(check, key, file)]


def unreadable(check: str, key: str, path: Path, user: str = AGENT_USER) -> list[Finding]:
    """Why a service of `user` could not read a file; only root can tell, others find nothing."""
    if os.geteuid() != 0 or not _is_there(user):
        return []
    if any(path.resolve().is_relative_to(each) for each in _HIDDEN):
        return [fail(check, f"{key}: {path}: services do not see this folder",
                     "move it below /etc/appliance, and name it anew")]  # fmt: skip
    asked = subprocess.run(
        ["runuser", "-u", user, "--", "test", "-r", str(path)],
        check=False, capture_output=True, timeout=_ASK_S,
    )  # fmt: skip
    if asked.returncode == 0:
        return []
    remedy = f"chgrp {user} {path} && chmod 640 {path}; its folders must let {user} pass"
    return [fail(check, f"{key}: {path}: the agent (user {user}) cannot read it", remedy)]


def _is_there(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
