import json
from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.training.public import read_public


def csv(folder: Path, name: str, *rows: str, head: str = "text,category") -> None:
    (folder / name).write_text("\n".join((head, *rows)) + "\n", "utf-8")


def test_csv_with_both_parts(tmp_path: Path) -> None:
    csv(tmp_path, "banking77_train.csv", '"Where, pray, is my card?",card_arrival', " b ,lost_card")
    csv(tmp_path, "banking77_test.csv", "c,card_arrival")
    (found,) = read_public(tmp_path)
    assert found.name == "banking77"
    assert [(each.text, each.intents) for each in found.train] == [
        ("Where, pray, is my card?", ("card_arrival",)),
        ("b", ("lost_card",)),
    ]
    assert [each.text for each in found.test] == ["c"]
    assert not found.held_back
    assert not found.val


def test_csv_without_a_test_part_holds_a_tenth_back(tmp_path: Path) -> None:
    csv(tmp_path, "train.csv", *(f"text {n},label" for n in range(30)))
    (found,) = read_public(tmp_path)
    assert found.held_back
    assert [each.text for each in found.test] == ["text 0", "text 10", "text 20"]
    assert len(found.train) == 27
    assert not {each.text for each in found.train} & {each.text for each in found.test}


def test_csv_as_a_spreadsheet_writes_it(tmp_path: Path) -> None:
    (tmp_path / "a_train.csv").write_bytes("\ufefftext,category\r\nñu,x\r\n".encode())
    csv(tmp_path, "a_test.csv", "b,x")
    (found,) = read_public(tmp_path)
    assert found.train[0].text == "ñu"


def test_json_with_all_parts(tmp_path: Path) -> None:
    stored = {
        "train": [["a", "x"], ["b", "y"]], "oos_train": [["rain", "oos"]],
        "val": [["c", "x"]], "oos_val": [["snow", "oos"]],
        "test": [["d", "x"]], "oos_test": [["hail", "oos"], ["sun", "oos"]],
    }  # fmt: skip
    (tmp_path / "clinc150_full.json").write_text(json.dumps(stored))
    (found,) = read_public(tmp_path)
    assert found.name == "clinc150"
    assert [(each.text, each.intents) for each in found.train] == [
        ("a", ("x",)),
        ("b", ("y",)),
        ("rain", ()),
    ]
    assert [(each.text, each.intents) for each in found.val] == [("c", ("x",)), ("snow", ())]
    assert [each.text for each in found.test] == ["d", "hail", "sun"]


def test_json_with_a_training_part_only(tmp_path: Path) -> None:
    stored = {"train": [[f"t{n}", "x"] for n in range(20)], "oos_train": [["rain", "oos"]]}
    (tmp_path / "clinc.json").write_text(json.dumps(stored))
    (found,) = read_public(tmp_path)
    assert found.held_back
    assert len(found.train) + len(found.test) == 21


def test_two_sets_in_a_folder(tmp_path: Path) -> None:
    csv(tmp_path, "train.csv", "a,x")
    csv(tmp_path, "test.csv", "b,x")
    (tmp_path / "clinc.json").write_text('{"train": [["a", "x"]], "test": [["b", "x"]]}')
    assert [each.name for each in read_public(tmp_path)] == ["test", "clinc"]


@pytest.mark.parametrize("folder", [".", "nowhere"])
def test_nothing_there(tmp_path: Path, folder: str) -> None:
    csv(tmp_path, "banking.csv", "a,x")  # train or test?
    with pytest.raises(ConfigError, match="no set of examples: expected CSV files"):
        read_public(tmp_path / folder)


def test_a_test_part_alone(tmp_path: Path) -> None:
    csv(tmp_path, "banking_test.csv", "a,x")
    with pytest.raises(ConfigError, match="banking has no training part"):
        read_public(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "text,label\na,x\n",
        "a,x\nb,y\n",
        "text,category\nonly a text\n",
        "category,text\nonly\n",
        "text\na\n",
    ],
)
def test_csv_without_its_columns(tmp_path: Path, text: str) -> None:
    (tmp_path / "train.csv").write_text(text)
    with pytest.raises(ConfigError, match=r"train\.csv: needs the columns text,category"):
        read_public(tmp_path)


def test_csv_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_bytes("text,category\nsí,x\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"train\.csv: needs the columns"):
        read_public(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "5", "null", '"train"',
        '{"train": [["a"]]}', '{"train": [["a", "x", "y"]]}', '{"train": ["ab"]}',
        '{"train": [["a", 5]]}', '{"train": [[5, "x"]]}', '{"train": 5}', '{"train": {"a": "x"}}',
        '{"train": [["a", "x"]], "oos_train": [["rain"]]}',
    ],
)  # fmt: skip
def test_json_of_another_form(tmp_path: Path, text: str) -> None:
    (tmp_path / "clinc.json").write_text(text)
    with pytest.raises(ConfigError, match=r"clinc\.json: expected pairs of text and label"):
        read_public(tmp_path)


def test_json_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "clinc.json").write_bytes('{"train": [["sí", "x"]]}'.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"clinc\.json: expected pairs"):
        read_public(tmp_path)
