"""The phone head and the files beside a model."""

from pathlib import Path

import numpy as np
import pytest

from appliance.errors import ConfigError
from appliance.stt.fitted import load_fitted
from appliance.stt.language import load_language, save_language
from appliance.stt.phones import load_head
from tests.stt.made_up import HEAD, PHONES, language, trigram

SHIPPED = Path(__file__).resolve().parents[2] / "models/stt/en"


def test_head_gives_probabilities() -> None:
    hidden = np.random.default_rng(1).normal(0, 3, (7, len(PHONES))).astype(np.float32)
    np.testing.assert_allclose(np.exp(HEAD.log_probs(hidden)).sum(axis=1), 1, atol=1e-5)
    assert (HEAD.log_probs(hidden).argmax(axis=1) == hidden.argmax(axis=1)).all()


@pytest.mark.parametrize("name", ["ctc.npz", "language.npz"])
def test_broken_file_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"garbage")
    load = load_head if name == "ctc.npz" else load_language
    with pytest.raises(ConfigError, match=name):
        load(path)  # type: ignore[operator]


def test_language_of_another_version_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "language.npz", version=np.int32(1))
    with pytest.raises(ConfigError, match="version 1, not 2"):
        load_language(tmp_path / "language.npz")


def test_language_is_written_and_read(tmp_path: Path) -> None:
    order = trigram({("<s>", "ab"): -0.5, ("ab", "d"): -1.0}, {("<s>", "ab", "d"): -0.25})
    written = language(order, {"zip": trigram({("d", "d"): -0.5})})
    save_language(tmp_path / "language.npz", written)
    read = load_language(tmp_path / "language.npz")
    assert (read.words, read.phones, read.classes) == (written.words, written.phones, {"first": 2})
    for wanted, found in ((written.order, read.order), (written.slots["zip"], read.slots["zip"])):
        for one, other in zip(wanted, found, strict=True):
            assert other.dtype == one.dtype
            np.testing.assert_allclose(other, one, rtol=1e-3)


def test_general_language_has_the_words_of_the_flow() -> None:
    words = set(load_language(SHIPPED / "language.npz").words)
    needed = {"yes", "no", "stop", "calling", "person", "robot", "goodbye", "friday", "dollars"}
    assert needed <= words


def test_folder_without_fitted_values_gets_the_defaults(tmp_path: Path) -> None:
    assert load_fitted(tmp_path).search.weight > 0
    (tmp_path / "hearing.json").write_text('{"search": {"wieght": 1}}')
    with pytest.raises(ConfigError, match="wieght"):
        load_fitted(tmp_path)
