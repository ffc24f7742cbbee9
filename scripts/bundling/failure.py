"""What ends the making of a bundle, and the one way in which its programs are run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class BundleError(Exception):
    """No bundle can be made; the message names cause and remedy."""


def run(*command: str, environment: Mapping[str, str] | None = None, at: Path | None = None) -> str:
    """Run a program and give its output; what it says on stderr is shown only if it fails.

    Raises:
        BundleError: there is no such program, or it failed.
    """
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            cwd=at,
            env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
        )
    except FileNotFoundError as error:
        raise BundleError(f"{command[0]}: no such program: scripts/install package") from error
    if done.returncode:
        told = "\n".join((done.stderr or done.stdout).strip().splitlines()[-12:])
        raise BundleError(f"{' '.join(command[:4])} … failed ({done.returncode}):\n{told}")
    return done.stdout.strip()
