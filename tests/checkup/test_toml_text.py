import tomllib
from pathlib import Path

import pytest

from appliance.checkup.toml_text import Changes, set_values
from appliance.errors import ConfigError

EXAMPLE = (Path(__file__).resolve().parents[2] / "appliance.example.toml").read_text()


@pytest.mark.parametrize(
    ("text", "changes", "becomes"),
    [
        ("[a]\nb = 1  # why\n", {"a": {"b": 2}}, "[a]\nb = 2  # why\n"),
        ("[a]\nb = '# no'  # yes\n", {"a": {"b": "c"}}, '[a]\nb = "c"  # yes\n'),
        ("[a]\n# b = 1\nc = 1\n", {"a": {"b": 2}}, "[a]\nb = 2\nc = 1\n"),
        ("[a]\nb = [\n  1,\n  2,\n]\nc = 3\n", {"a": {"b": ["x"]}}, '[a]\nb = ["x"]\nc = 3\n'),
        ("[a]\nb = 1\n", {"a": {"b": None}}, "[a]\n# b = 1\n"),
        ("[a]\nb = 1\n", {"c": {"d": None}}, "[a]\nb = 1\n"),
        ("[a]\nb = 1\n\n[e]\n", {"a": {"c": True}}, "[a]\nb = 1\nc = true\n\n[e]\n"),
        ("", {"a.b": {"c": "ü\\\""}}, '\n[a.b]\nc = "ü\\\\\\""\n'),
        ("[a]\nb = 1\n# [c]\n# d = 1\n", {"c": {"d": 2}}, "[a]\nb = 1\n[c]\nd = 2\n"),
        # Uncommented there, the head would take b from its section.
        (
            "[a]\n# [c]\n# d = 1\nb = 1\n",
            {"c": {"d": 2}},
            "[a]\n# [c]\n# d = 1\nb = 1\n\n[c]\nd = 2\n",
        ),
    ],
)  # fmt: skip
def test_only_the_value_changes(text: str, changes: Changes, becomes: str) -> None:
    assert set_values(text, changes) == becomes


def test_the_shipped_file_keeps_its_comments_and_all_other_values() -> None:
    changes: Changes = {
        "line": {"address": "192.0.2.5", "peers": ["192.0.2.10/32"]},
        "line.registrar": {"server": "sip:192.0.2.10", "user": "200", "password_file": "/s"},
        "edge": {"enabled": False},
        "call": {"accounts": "/a.yaml", "human": None},
    }
    changed = set_values(EXAMPLE, changes)
    before, after = tomllib.loads(EXAMPLE), tomllib.loads(changed)
    assert after["line"].pop("registrar") == changes["line.registrar"]
    for section, key in (("line", "address"), ("line", "peers"), ("call", "accounts")):
        assert after[section].pop(key) == changes[section][key]
        before[section].pop(key, None)
    assert after == before
    kept = [line for line in EXAMPLE.splitlines() if line.startswith("# ") and "=" not in line]
    assert set(kept) - {"# [line.registrar]"} <= set(changed.splitlines())
    assert set_values(changed, changes) == changed


@pytest.mark.parametrize("text", ["[a\n", "a = {b = 1}\n", '"a" = 1\n[x]\n[[a.c]]\n'])
def test_what_cannot_be_changed_safely_is_left(text: str) -> None:
    with pytest.raises(ConfigError):
        set_values(text, {"a": {"b": 2}})
