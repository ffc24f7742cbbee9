"""The shipped encoder is the one that its card describes; the recipe does what it says."""

import hashlib
import json
from pathlib import Path

import onnxruntime

from models.encoder.recipe.vocabulary import is_kept, kept_ids, trim_tokenizer

FOLDER = Path(__file__).resolve().parents[2] / "models/encoder"


def test_the_card_names_this_file() -> None:
    digest = hashlib.sha256((FOLDER / "encoder.onnx").read_bytes()).hexdigest()
    assert f"`{digest}`" in (FOLDER / "MODEL_CARD.md").read_text("utf-8")


def test_inputs_and_outputs_are_as_described() -> None:
    session = onnxruntime.InferenceSession(FOLDER / "encoder.onnx")
    assert {each.name: each.type for each in session.get_inputs()} == {
        "ids": "tensor(int64)", "mask": "tensor(int64)",
    }  # fmt: skip
    (vectors,) = session.get_outputs()
    assert (vectors.name, vectors.shape[-1]) == ("vectors", 384)


def test_tokens_of_english_stay() -> None:
    for token in ("[CLS]", "[UNK]", "pay", "##ing", "7", "’", "€", "–"):
        assert is_kept(token)
    for token in ("[unused5]", "é", "##ž", "日", "##и"):
        assert not is_kept(token)


def test_trimmed_tokens_are_counted_anew(tmp_path: Path) -> None:
    words = ["[PAD]", "[unused0]", "[CLS]", "[SEP]", "я", "pay"]
    given = {
        "model": {"vocab": {word: number for number, word in enumerate(words)}},
        "added_tokens": [{"id": 2, "content": "[CLS]"}],
        "post_processor": {"special_tokens": {"[CLS]": {"ids": [2]}, "[SEP]": {"ids": [3]}}},
        "truncation": {"max_length": 128},
        "padding": {"strategy": {"Fixed": 128}},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(given))
    kept = kept_ids(given)
    assert kept == [0, 2, 3, 5]
    trimmed = json.loads(trim_tokenizer(tmp_path / "tokenizer.json", kept, 256))
    assert trimmed["model"]["vocab"] == {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "pay": 3}
    assert trimmed["added_tokens"] == [{"id": 1, "content": "[CLS]"}]
    assert trimmed["post_processor"]["special_tokens"]["[SEP]"]["ids"] == [2]
    assert trimmed["truncation"]["max_length"] == 256
    assert trimmed["padding"] is None
