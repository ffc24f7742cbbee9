"""The configuration that a new box begins with: appliance.example.toml at the places of a box.

The example is for a checkout, where all paths are below it. Here are the rules by which they become
those of a box, and the few keys whose default is for a checkout too. A key that the example shows
behind a `#` is set in its place, so that its comment stays beside it.
"""

from __future__ import annotations

import re

from bundling.failure import BundleError

_PLACES = (
    ('"models/', '"/opt/appliance/current/models/'),
    ('"var/cache/', '"/var/cache/appliance/'),
    ('"var/live.sock"', '"/run/appliance/live.sock"'),
    ('"var/', '"/var/lib/appliance/'),
)
_SECRET = re.compile(r'"/etc/appliance/([\w-]+)"(?=.*)')
_SECRET_KEYS = ("password_file", "token_file", "secret_file", "secrets")
_KEYS = {
    "line": {"attach": "/run/appliance/lines.sock"},
    "hearing": {"turns": "/opt/appliance/current/models/turns"},
    "understanding": {"cache": "/var/cache/appliance/intents"},
    "health": {"socket": "/run/appliance/health.sock"},
}
"""What a box sets besides, by section."""
_HEADER = re.compile(r"^(?:# )?\[([\w.]+)\]")


def for_a_box(example: str) -> str:
    """The text of the configuration of a new box.

    Raises:
        BundleError: the example has no such section any more.
    """
    for here, there in _PLACES:
        example = example.replace(here, there)
    lines = example.splitlines()
    section, wanted = "", {name: dict(keys) for name, keys in _KEYS.items()}
    result: list[str] = []
    for line in lines:
        if header := _HEADER.match(line):
            section = header[1]
        result.append(_set(_with_secrets(line, section), wanted.get(section, {})))
    for name, keys in wanted.items():
        _insert(result, name, keys)
    return "\n".join(result) + "\n"


def _with_secrets(line: str, section: str) -> str:
    """Secrets lie where their unit's credentials come from."""
    key = line.lstrip("# ").partition(" ")[0]
    if key not in _SECRET_KEYS:
        return line
    unit = "line" if section == "line.registrar" else "agent"
    return _SECRET.sub(rf'"/etc/appliance/secrets/{unit}/\1"', line)


def _set(line: str, keys: dict[str, str]) -> str:
    """The line with the value of the box, if it has one; what was set is taken out of `keys`."""
    found = re.match(r"(?:# )?(\w+) = ", line)
    if found is None or found[1] not in keys:
        return line
    return f'{found[1]} = "{keys.pop(found[1])}"'


def _insert(lines: list[str], section: str, keys: dict[str, str]) -> None:
    """Put keys that the example does not show below the head of their section."""
    if not keys:
        return
    if f"[{section}]" not in lines:
        raise BundleError(f"appliance.example.toml: no section [{section}]")
    at = lines.index(f"[{section}]") + 1
    lines[at:at] = [f'{key} = "{value}"' for key, value in keys.items()]
