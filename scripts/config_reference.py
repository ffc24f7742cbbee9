"""Writes docs/configuration.md from the configuration's own fields.

scripts/config_reference.py            writes the page
scripts/config_reference.py --check    fails if the page is not up to date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from appliance.config import Config
from appliance.sections import Section

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"
_HEAD = """# Configuration

One TOML file; `appliance.example.toml` is a commented one to start from. Every key has a default,
an unknown key is an error, and `appliance config check FILE` names each mistake with its line.
Relative paths start at the folder of the file. This page is made by `scripts/config_reference.py`.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for name, field in Config.model_fields.items():
        section = field.annotation
        assert isinstance(section, type)
        assert issubclass(section, Section)
        parts.append(f"\n## [{name}]\n{(section.__doc__ or '').splitlines()[0]}\n\n")
        parts.extend(_table(section))
        for inner, nested in _sections_in(section):
            each = ".NAME" if inner in _by_name(section) else ""
            parts.append(f"\n### [{name}.{inner}{each}]\n{nested.__doc__}\n\n")
            parts.extend(_table(nested))
    return "".join(parts)


def _sections_in(section: type[Section]) -> Iterator[tuple[str, type[Section]]]:
    """Those within it, also such as may be left out: `name: SomeSection | None`."""
    for name, field in section.model_fields.items():
        for kind in get_args(field.annotation) or (field.annotation,):
            if isinstance(kind, type) and issubclass(kind, Section):
                yield name, kind


def _by_name(section: type[Section]) -> set[str]:
    """Sections of which there may be several, each with a name."""
    fields = section.model_fields.items()
    return {name for name, field in fields if get_origin(field.annotation) is dict}


def _table(section: type[Section]) -> Iterator[str]:
    yield "| key | default | range | meaning |\n|---|---|---|---|\n"
    for name, field in section.model_fields.items():
        default = "required" if field.is_required() else f"`{_shown(field.default)}`"
        yield f"| `{name}` | {default} | {_range(field)} | {field.description} |\n"


def _shown(value: Any) -> str:
    if isinstance(value, Section):
        return ", ".join(f"{name} = {each}" for name, each in value)
    if isinstance(value, dict):  # of sections: what each has that is not the default
        return ", ".join(
            f"{name}: {each.model_dump(exclude_defaults=True)}" for name, each in value.items()
        )
    return ", ".join(str(item) for item in value) if isinstance(value, tuple) else str(value)


def _range(field: FieldInfo) -> str:
    bounds = {type(bound).__name__.lower(): bound for bound in field.metadata}
    low, high = (getattr(bounds.get(name), name, None) for name in ("ge", "le"))
    return "" if low is None else f"{low} to {high}"


def main() -> int:
    """Write or check."""
    text = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.is_file() or PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
