"""A command loads what it needs: the engines take seconds, and most commands need none."""

import subprocess
import sys

import pytest
from typer.main import get_command

from appliance.cli.main import _PLACES, Commands, app

HEAVY = ("numba", "ctranslate2", "onnxruntime", "numpy", "piper")


@pytest.mark.parametrize("command", ["version", "health --help", "edge --help"])
def test_small_commands_load_no_engine(command: str) -> None:
    program = (
        "import sys; sys.argv[1:] = sys.argv[1:]\n"
        "from appliance.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('loaded', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command.split()],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1].strip() == "loaded", done.stdout + done.stderr


def test_every_command_is_there() -> None:
    group = get_command(app)
    assert isinstance(group, Commands)
    for name in _PLACES:
        command = group.get_command(None, name)
        assert command.name == name
        assert command.hidden or command.help
    assert group.get_command(None, "nope") is None
