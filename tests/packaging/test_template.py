import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from appliance.config import load_config
from bundling.failure import BundleError
from bundling.template import for_a_box

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (ROOT / "appliance.example.toml").read_text("utf-8")


def paths(value: Any, place: str = "") -> Iterator[tuple[str, Path]]:
    if isinstance(value, Path):
        yield place, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from paths(getattr(value, name), f"{place}.{name}".strip("."))
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from paths(each, f"{place}.{name}")


def test_every_path_of_a_new_box_is_absolute_and_at_its_place(tmp_path: Path) -> None:
    file = tmp_path / "appliance.toml"
    file.write_text(for_a_box(EXAMPLE), "utf-8")
    found = dict(paths(load_config(file)))
    assert len(found) > 10
    wrong = {
        key: path
        for key, path in found.items()
        if not str(path).startswith(
            ("/opt/appliance/current/", "/var/lib/appliance", "/var/cache/appliance/",
             "/run/appliance", "/etc/appliance/", "/usr/")
        )
    }  # fmt: skip
    assert not wrong, "say in scripts/bundling/template.py where a box has them"


def test_a_new_box_has_its_lines_and_its_health_as_services() -> None:
    box = tomllib.loads(for_a_box(EXAMPLE))
    assert box["line"]["attach"] == "/run/appliance/lines.sock"
    assert box["health"]["socket"] == "/run/appliance/health.sock"


def test_comments_stay_and_secrets_lie_where_their_unit_reads_them() -> None:
    box = for_a_box(EXAMPLE)
    assert '# password_file = "/etc/appliance/secrets/line/' in box
    assert '# token_file = "/etc/appliance/secrets/agent/' in box
    assert box.count("#") >= EXAMPLE.count("#") - len(("socket", "attach"))


def test_an_example_without_a_section_that_a_box_sets_is_refused() -> None:
    with pytest.raises(BundleError, match=r"no section \[hearing\]"):
        for_a_box("[line]\n[understanding]\n[health]\n")
