"""Changes values in a TOML file and leaves all else as its owner wrote it, comments above all.

    text, {"line.registrar": {"user": "200"}}  ──> text

A key that stands there is changed in its line, one that is only there as a comment (`# user = …`,
as in the shipped file) loses the comment sign, any other is added below its section's header. What
comes out is read again: where a value but the wanted ones would be another, nothing comes out.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from appliance.errors import ConfigError

Value = str | int | bool | list[str]
Changes = Mapping[str, Mapping[str, Value | None]]
"""By section, then by key; None: it is not to be set."""

_HEADER = re.compile(r"^\s*\[([A-Za-z0-9_.-]+)\]\s*(?:#.*)?$")
_COMMENTED_HEADER = re.compile(r"^#\s*\[([A-Za-z0-9_.-]+)\]\s*$")


def set_values(text: str, changes: Changes) -> str:
    """The text with these values.

    Raises:
        ConfigError: the text is no TOML, or is written in a way that cannot be changed safely.
    """
    lines = text.splitlines()
    for section, values in changes.items():
        wanted = dict(values)
        if all(value is None for value in wanted.values()) and _find(lines, section) is None:
            continue
        for key, value in wanted.items():
            _set(lines, _header(lines, section), key, value)
    changed = "\n".join(lines) + "\n"
    if _read(changed) != _merged(_read(text), changes):
        raise ConfigError(
            f"the configuration is written in a way that cannot be changed here: set "
            f"{', '.join(f'[{each}]' for each in changes)} by hand"
        )
    return changed


def _find(lines: list[str], section: str) -> int | None:
    for at, line in enumerate(lines):
        if (found := _HEADER.match(line)) and found[1] == section:
            return at
    return None


def _header(lines: list[str], section: str) -> int:
    """Where the section's header is; it is made where there is none."""
    if (at := _find(lines, section)) is not None:
        return at
    for at, line in enumerate(lines):
        found = _COMMENTED_HEADER.match(line)
        if found and found[1] == section and not _has_values(lines, at):
            lines[at] = f"[{section}]"
            return at
    lines += ["", f"[{section}]"]
    return len(lines) - 1


def _has_values(lines: list[str], at: int) -> bool:
    """Whether values of another section stand below: they would become this one's."""
    block = lines[at + 1 : _end(lines, at)]
    return any(line.strip() and not line.lstrip().startswith("#") for line in block)


def _end(lines: list[str], header: int) -> int:
    """Behind the last line of a section."""
    for at in range(header + 1, len(lines)):
        if _HEADER.match(lines[at]) or _COMMENTED_HEADER.match(lines[at]):
            return at
    return len(lines)


def _set(lines: list[str], header: int, key: str, value: Value | None) -> None:
    block = range(header + 1, _end(lines, header))
    there = next((at for at in block if re.match(rf"\s*{key}\s*=", lines[at])), None)
    if there is None:
        if value is None:
            return
        commented = next((at for at in block if re.match(rf"#\s*{key}\s*=", lines[at])), None)
        if commented is None:
            active = [at for at in block if re.match(r"\s*[A-Za-z0-9_-]+\s*=", lines[at])]
            last = _last_line(lines, active[-1]) if active else header
            lines.insert(last + 1, _assignment(key, value))
        else:
            lines[commented] = _assignment(key, value, _comment_of(lines[commented].lstrip("# ")))
        return
    last = _last_line(lines, there)
    if value is None:
        lines[there : last + 1] = [f"# {line}" for line in lines[there : last + 1]]
    else:
        comment = _comment_of(lines[there]) if last == there else ""
        lines[there : last + 1] = [_assignment(key, value, comment)]


def _assignment(key: str, value: Value, comment: str = "") -> str:
    # JSON's strings, numbers, booleans and lists of them are TOML's.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}" + (f"  {comment}" if comment else "")


def _last_line(lines: list[str], first: int) -> int:
    """A value may go over several lines."""
    for last in range(first, len(lines)):
        try:
            tomllib.loads("\n".join(lines[first : last + 1]))
        except tomllib.TOMLDecodeError:
            continue
        return last
    return first


def _comment_of(line: str) -> str:
    """What stands behind the value, from its #."""
    for found in re.finditer("#", line):
        try:
            tomllib.loads(line[: found.start()])
        except tomllib.TOMLDecodeError:  # it is within the value
            continue
        return line[found.start() :]
    return ""


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the configuration is no TOML: {error}") from error


def _merged(before: dict[str, Any], changes: Changes) -> dict[str, Any]:
    """What the text must say."""
    for section, values in changes.items():
        if all(value is None for value in values.values()) and not _has(before, section):
            continue
        table = before
        for name in section.split("."):
            table = table.setdefault(name, {})
        for key, value in values.items():
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
    return before


def _has(document: dict[str, Any], section: str) -> bool:
    table: Any = document
    for name in section.split("."):
        if name not in table:
            return False
        table = table[name]
    return True
