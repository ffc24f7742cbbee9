from datetime import date
from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.testing.dialogue_script import SCRIPTS, calendar_values, load_script, parse_script


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*.yaml")), ids=lambda path: path.name)
def test_shipped_scripts_load(path: Path) -> None:
    assert load_script(path).steps


def test_bare_words_stand_for_defaults() -> None:
    script = parse_script({"steps": ["wait_reply", {"say": "yes"}, "hang_up"]})
    assert [step.kind for step in script.steps] == ["wait_reply", "say", "hang_up"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (None, "needs a list of steps"),
        ({"steps": []}, "list of steps"),
        ({"steps": ["wait_reply", "dance"]}, "step 2 is not one of"),
        ({"steps": [{"say": "a", "press": "1"}]}, "step 1 is not one of"),
        ({"steps": [{"spell": "9a"}]}, "steps 1 spell"),
        ({"steps": ["hang_up"], "colour": "red"}, "colour"),
    ],
)
def test_mistake_is_named(document: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_script(document)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("steps: [")
    with pytest.raises(ConfigError, match=r"s\.yaml"):
        load_script(path)
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        load_script(tmp_path / "none.yaml")


def test_last_day_of_the_month() -> None:
    assert calendar_values(date(2024, 2, 3)) == {"last_day": "february twenty ninth"}
    assert calendar_values(date(2026, 11, 30)) == {"last_day": "november thirtieth"}


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("latency/*.yaml")), ids=lambda path: path.name)
def test_scripts_of_the_benchmark_tell_what_was_asked(path: Path) -> None:
    spoken = [step for step in load_script(path).steps if step.say or step.spell]
    assert spoken
    assert all(step.asked for step in spoken)
    assert any(step.pauses for step in spoken)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"say": {"asked": "zip"}}, "either text or parts"),
        ({"say": {"text": "a", "parts": ["a", "b"]}}, "either text or parts"),
        ({"say": {"parts": ["a", "b"], "pauses_ms": [100, 200]}}, "as many pauses_ms"),
        ({"say": {"text": "a", "asked": "mood"}}, "asked"),
        ({"spell": {"digits": "90210", "groups": [3, 3]}}, "do not add up"),
    ],
)
def test_wrong_pauses_are_named(step: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_script({"steps": [step]})
