from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.training.examples import MOST_READINGS, Example, read_examples, readings


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("stop calling", ["stop calling"]),
        ("(stop|quit) calling", ["stop calling", "quit calling"]),
        ("[please|] stop", ["stop", "please stop"]),
        ("[please] stop", ["stop", "please stop"]),
        ("[oh|well] no", ["no", "oh no", "well no"]),
        ("stop [now]", ["stop", "stop now"]),
        ("call[s] me", ["call me", "calls me"]),
        ("(a|b) (c|d)", ["a c", "a d", "b c", "b d"]),
        ("(stop|stop) it", ["stop it"]),  # the same reading once
        ("(|do) stop", ["stop", "do stop"]),
        ("  stop   it ", ["stop it"]),
        ("¿(quién|de parte de quién)?", ["¿quién?", "¿de parte de quién?"]),
    ],
)
def test_a_line_stands_for_its_readings(line: str, found: list[str]) -> None:
    assert readings(line) == found


@pytest.mark.parametrize(
    "line",
    ["(stop", "stop)", "[stop", "stop]", "a|b", "((a|b) c|d)", "[a (b|c)]", "(a]", "[a)", "a) (b"],
)
def test_brackets_that_do_not_fit(line: str) -> None:
    with pytest.raises(ConfigError, match=r"^en\.yaml:7: .*brackets that do not match, are nested"):
        readings(line, "en.yaml:7")


@pytest.mark.parametrize("line", ["", "   ", "[please]", "[um|uh] [well]", "(|)"])
def test_nothing_is_no_example(line: str) -> None:
    with pytest.raises(ConfigError, match=r"en\.yaml:7: .*nothing is left"):
        readings(line, "en.yaml:7")


def test_a_line_stands_for_not_too_many() -> None:
    most = f"({'|'.join(f'a{n}' for n in range(MOST_READINGS))}) b"
    assert len(readings(most)) == MOST_READINGS
    with pytest.raises(ConfigError, match="stand for more than 200 utterances"):
        readings(f"{most} [c]")


def test_rows_are_read_with_all_that_they_say(write) -> None:
    path = write(
        "en_a.yaml",
        "- intent: negation\n"
        "  slot: yes_no\n"
        "  also: [callback_request, negation]\n"
        "  says:\n"
        "    - no\n"
        "    - (no|nope) call later\n"
        "- intent: out_of_scope\n"
        "  says: [what a day, '[well] it rains']\n",
    )
    assert read_examples(path) == [
        Example("no", ("negation", "callback_request"), "yes_no", "en", f"{path}:5"),
        Example("no call later", ("negation", "callback_request"), "yes_no", "en", f"{path}:6"),
        Example("nope call later", ("negation", "callback_request"), "yes_no", "en", f"{path}:6"),
        Example("what a day", (), None, "en", f"{path}:8"),
        Example("it rains", (), None, "en", f"{path}:8"),
        Example("well it rains", (), None, "en", f"{path}:8"),
    ]


def test_a_folder_is_read_in_order_and_by_language(write) -> None:
    write("es.yaml", "- {intent: thanks, says: [gracias]}")
    write("en_b.yaml", "- {intent: thanks, says: [thanks]}")
    folder = write("en_a.yaml", "- {intent: busy, says: [driving]}").parent
    write("notes.txt", "no examples")
    assert [(each.text, each.language) for each in read_examples(folder)] == [
        ("driving", "en"),
        ("thanks", "en"),
        ("gracias", "es"),
    ]
    assert [each.text for each in read_examples(folder, "es")] == ["gracias"]


def test_lines_of_two_folders_are_two_lines(write) -> None:
    """Two flows may both have an en.yaml; their lines are never taken for one."""
    one = write("en.yaml", "- {intent: busy, says: [driving]}", "one").parent
    other = write("en.yaml", "- {intent: thanks, says: [thanks]}", "other").parent
    lines = {each.line for folder in (one, other) for each in read_examples(folder)}
    assert len(lines) == 2


@pytest.mark.parametrize("folder", [".", "nowhere"])
def test_a_folder_without_examples(tmp_path: Path, folder: str) -> None:
    with pytest.raises(ConfigError, match=rf"{tmp_path / folder}: no examples"):
        read_examples(tmp_path / folder)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"en_a\.yaml: no examples"):
        read_examples(tmp_path / "en_a.yaml")


@pytest.mark.parametrize(
    "name", ["fr_a.yaml", "status.yaml", "enter.yaml", "estate.yaml", "_.yaml"]
)
def test_a_file_names_its_language(write, name: str) -> None:
    path = write(name, "- {intent: busy, says: [driving]}")
    with pytest.raises(
        ConfigError, match=rf"{name}: the name must begin with a language, en or es"
    ):
        read_examples(path.parent)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- intent: busy\n  says: [a]\n  slott: zip\n", ":3: 0.slott: unknown key here"),
        ("- intent: busy\n  slot: zipp\n  says: [a]\n", ":2: 0.slot: Input should be"),
        ("- intent: busy\n  says: []\n", ":2: 0.says: Tuple should have at least 1 item"),
        ("- intent: busy\n", ":1: 0.says: is missing"),
        ("- says: [a]\n", ":1: 0.intent: is missing"),
        ("- intent: busy\n  says: a\n", ":2: 0.says: must be a list"),
        ("- intent: busy\n  says:\n    - a\n    - 5\n", ":4: 0.says.1: must be text"),
        ("- intent: busy\n  says: [a]\n- busy\n", ":3: 1: must have keys"),
        ("intent: busy\n", "must be a list"),
        ("", "must be a list"),
        ("- intent: [busy\n", "not YAML"),
        ("- intent: busy\n  says:\n    - a\n    - (a|b c\n", ":4: '(a|b c': brackets"),
        ("- intent: busy\n  says: ['[a]']\n", ":2: '[a]': nothing is left"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(write, text: str, said: str) -> None:
    path = write("en_a.yaml", text)
    with pytest.raises(ConfigError) as caught:
        read_examples(path)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)


def test_a_file_in_another_encoding(write) -> None:
    path = write("es_a.yaml", "")
    path.write_bytes("- {intent: thanks, says: [sí]}".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"es_a\.yaml: not UTF-8"):
        read_examples(path)
