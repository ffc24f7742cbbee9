"""The phone head and the files beside a model."""

import zipfile
from pathlib import Path
from typing import Any

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


NPY = b"\x93NUMPY\x01\x00"  # how a single array begins
LOADERS = {"ctc.npz": load_head, "language.npz": load_language}


def refused(path: Path, said: str = "") -> None:
    with pytest.raises(ConfigError, match=f"{path.name}: not a .*{said}.*appliance models check"):
        LOADERS[path.name](path)


def write(path: Path, **changed: Any) -> None:
    """A small head or language, with other arrays where a test says so."""
    if path.name == "ctc.npz":
        arrays = {"matrix": HEAD.matrix, "bias": HEAD.bias, "phones": np.array(HEAD.phones)}
    else:
        order = trigram({("<s>", "ab"): -0.5, ("ab", "d"): -1.0}, {("<s>", "ab", "d"): -0.25})
        save_language(path, language(order, {"zip": order}))
        with np.load(path) as stored:
            arrays = dict(stored)
    np.savez(path, allow_pickle=True, **{**arrays, **changed})


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def name_a_huge_shape(path: Path) -> None:
    """An array that says that it has more values than any memory."""
    with zipfile.ZipFile(path, "a") as packed, packed.open("more.npy", "w") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**7)}
        )


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("more.npy", bytes(300 << 20))


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b"garbage"),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
        lambda path: path.write_bytes(NPY),
        halve,
        name_a_huge_shape,
        bomb,
        lambda path: write(path, phones=np.array([None, {}], object)),
    ],
    ids=["garbage", "empty", "missing", "npy", "half", "huge", "bomb", "pickle"],
)
def test_broken_file_is_named_with_the_remedy(tmp_path: Path, name: str, harm: Any) -> None:
    write(tmp_path / name)
    LOADERS[name](tmp_path / name)
    harm(tmp_path / name)
    refused(tmp_path / name)


@pytest.mark.parametrize("name", LOADERS)
def test_no_flipped_byte_ends_in_another_error(tmp_path: Path, name: str) -> None:
    """Where the flip does no harm (a time stamp), the file is read as it was."""
    write(tmp_path / name)
    with np.load(tmp_path / name) as stored:  # as the shipped ones: not in the clear
        np.savez_compressed(tmp_path / name, allow_pickle=False, **dict(stored))
    whole = (tmp_path / name).read_bytes()
    as_it_was = repr(LOADERS[name](tmp_path / name))
    told = 0
    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        (tmp_path / name).write_bytes(damaged)
        try:
            assert repr(LOADERS[name](tmp_path / name)) == as_it_was
        except ConfigError:
            told += 1
    assert told > len(whole) // 7 // 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"matrix": np.zeros((len(PHONES) - 1, 9))}, "matrix has the shape"),
        ({"matrix": np.zeros(len(PHONES))}, "matrix has the shape"),
        ({"bias": np.zeros(len(PHONES) + 1)}, "bias has the shape"),
        ({"bias": np.full(len(PHONES), np.nan)}, "bias holds values that are no numbers"),
        ({"phones": np.array("a")}, "1 phones"),
        ({"phones": np.array(["a"])}, "1 phones"),
        ({"matrix": np.full((len(PHONES), 9), "x")}, "matrix holds no numbers"),
    ],
)
def test_head_that_contradicts_itself_is_refused(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    write(tmp_path / "ctc.npz", **changed)
    refused(tmp_path / "ctc.npz", said)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize("prefix", ["", "zip."])
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("first", np.zeros(7), "first has the shape|pair_starts|token points"),
        ("first_back", np.zeros(7), "first_back has the shape"),
        ("first", np.full(8, np.inf), "first holds values that are no numbers"),
        ("pair_starts", ints(0, 1, 1, 1, 2, 2, 2, 2), "pair_starts does not divide 2 places"),
        ("pair_starts", ints(0, 10**6, 1, 1, 2, 2, 2, 2, 2), "pair_starts points outside"),
        ("pair_starts", ints(0, 2, 1, 1, 2, 2, 2, 2, 2), "pair_starts does not divide"),
        ("pair_starts", ints(1, 1, 1, 1, 2, 2, 2, 2, 2), "pair_starts does not divide"),
        ("pair_starts", ints(0, 1, 1, 1, 1, 1, 1, 1, 1), "pair_starts does not divide"),
        ("pair_starts", np.zeros(9), "pair_starts is no row of whole numbers"),
        ("pair_tokens", ints(3, 8), "pair_tokens points outside of 0 to 7"),
        ("pair_tokens", ints(-1, 6), "pair_tokens points outside"),
        ("pair_tokens", ints(2**32 + 3, 6), "pair_tokens points outside"),
        ("pair_tokens", ints(3), "pair_starts points outside of 0 to 1"),
        ("pair_costs", np.zeros(3), "pair_costs has the shape"),
        ("pair_back", np.zeros((2, 1)), "pair_back has the shape"),
        ("triple_starts", ints(0, 1), "triple_starts does not divide"),
        ("triple_tokens", ints(8), "triple_tokens points outside"),
        ("triple_costs", np.full(1, np.nan), "triple_costs holds"),
        ("triple_costs", np.full(1, 1e300), "triple_costs holds"),
    ],
)
def test_language_that_contradicts_itself_is_refused(
    tmp_path: Path, prefix: str, name: str, value: Any, said: str
) -> None:
    write(tmp_path / "language.npz", **{prefix + name: value})
    refused(tmp_path / "language.npz", f"(?:{said})")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"words": np.array("ab\nba")}, "2 words, but 5 pronunciations"),
        ({"token": ints(3, 4, 5, 6)}, "5 words, but token has 4 places"),
        ({"token": ints(3, 4, 5, 6, 8)}, "token points outside of 0 to 7"),
        ({"inside": np.zeros(4)}, "inside has the shape"),
        ({"classes": np.array("first 8")}, "the class first has the token 8 of 8"),
        ({"classes": np.array("first")}, "not enough values"),
        ({"version": np.array("two")}, "invalid literal"),
        ({"other.first": np.zeros(8)}, "no 'other.pair_tokens'"),
    ],
)
def test_language_whose_words_do_not_fit_is_refused(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    write(tmp_path / "language.npz", **changed)
    refused(tmp_path / "language.npz", said)


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
    (tmp_path / "hearing.json").write_text('{"search": {"weight": NaN}}')
    with pytest.raises(ConfigError, match=r"search\.weight: .*finite number$"):
        load_fitted(tmp_path)
