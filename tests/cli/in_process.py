"""Runs a command of the appliance in the process of the tests."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from appliance.cli.main import main


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def appliance(*args: str | Path, cwd: Path, columns: int = 200) -> Done:
    """The command in this process: starting Python anew takes longer than all the rest."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["appliance", *map(str, args)])
        patch.setenv("COLUMNS", str(columns))
        patch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())
