"""The shipped encoder, through its adapter."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from appliance.errors import ConfigError
from appliance.knowledge.encoder import SentenceEncoder

FOLDER = Path(__file__).parents[2] / "models/encoder"


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder(FOLDER)


def test_vectors_are_of_length_one(encoder: SentenceEncoder) -> None:
    vector = encoder.encode("When is payday?")
    assert vector.shape == (encoder.width,) == (384,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)


def test_what_means_alike_is_near(encoder: SentenceEncoder) -> None:
    asked, same, other = map(
        encoder.encode, ("when do I get my money", "the day we pay wages", "how to train a dog")
    )
    assert asked @ same > asked @ other + 0.2


def test_a_text_has_one_vector_whatever_else_is_encoded(encoder: SentenceEncoder) -> None:
    texts = ["One.", "A much longer text about payments. " * 9, "", "?", "naïve café – 日本 🙂"]
    alone = [encoder.encode(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(encoder.encode, texts * 8))
    for number, vector in enumerate(together):
        assert np.array_equal(vector, alone[number % len(texts)])


def test_a_long_text_is_cut(encoder: SentenceEncoder) -> None:
    assert np.array_equal(encoder.encode("pay " * 300), encoder.encode("pay " * 3000))


def test_another_file_is_another_encoder(encoder: SentenceEncoder, tmp_path: Path) -> None:
    for name in ("encoder.onnx", "tokenizer.json"):
        shutil.copy(FOLDER / name, tmp_path)
    assert SentenceEncoder(tmp_path).identity == encoder.identity
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8") + "\n", "utf-8")
    assert SentenceEncoder(tmp_path).identity != encoder.identity


def test_a_folder_that_is_no_encoder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"documents\.encoder: .*encoder\.onnx is missing"):
        SentenceEncoder(tmp_path)
    (tmp_path / "encoder.onnx").write_bytes(b"no model")
    shutil.copy(FOLDER / "tokenizer.json", tmp_path)
    with pytest.raises(ConfigError, match=r"documents\.encoder: .* cannot be loaded"):
        SentenceEncoder(tmp_path)
