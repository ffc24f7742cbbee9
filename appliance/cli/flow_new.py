"""`appliance flow new`: a small flow that passes, to be changed into one's own."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from appliance import flows
from appliance.errors import ConfigError

_PLACEHOLDER = "new_flow"
_TEMPLATE = Path(flows.__file__).parent / "template" / _PLACEHOLDER
"""A flow like any other, so that it is checked like any other."""

FILES = ("flow.yaml", "prompts.en.yaml", "checks.py", "scenarios.yaml", "accounts.example.yaml")


def write_new_flow(name: str, folder: Path) -> None:
    """Write a new flow into a folder, which is made if there is none.

    Raises:
        ConfigError: the name is not one, a file is there already, or it cannot be written.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ConfigError(f"{name}: a flow's name has lower case letters, digits and _")
    for file in FILES:
        if (folder / file).exists():
            raise ConfigError(f"{folder / file}: is there already: choose another --folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            text = (_TEMPLATE / file).read_text(encoding="utf-8")
            (folder / file).write_text(text.replace(_PLACEHOLDER, name), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from error
