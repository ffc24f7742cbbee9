"""Compiled code on a disk that is full, read-only, or has lost what was written to it."""

import importlib.util
import pickle
import resource
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from appliance.stt import compiling

_SOURCE = """
from appliance.stt.compiling import compiled

@compiled
def double(number):
    return 2 * number

@compiled
def triple(number):
    return double(number) + number
"""


@pytest.fixture(autouse=True)
def _not_yet_warned() -> None:
    compiling._warn.cache_clear()


def load(folder: Path) -> ModuleType:
    """The module anew, as after a start, with what it compiled before on disk."""
    path = folder / "module.py"
    path.write_text(_SOURCE)
    spec = importlib.util.spec_from_file_location("module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / "__pycache__").glob(f"module.*.{kind}"))


@contextmanager
def full_disk() -> Iterator[None]:
    """Files may be made, but no byte written to them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_code_is_kept_on_disk(tmp_path: Path) -> None:
    assert load(tmp_path).triple(7) == 21
    again = load(tmp_path)
    assert again.triple(7) == 21
    assert sum(again.triple.stats.cache_hits.values()) == 1


@pytest.mark.parametrize("kind", ["nbc", "nbi"])
@pytest.mark.parametrize("damaged", [b"", bytes(300), pickle.dumps("0.1")[:-2], b"\x80\x05junk"])
def test_damaged_code_is_compiled_anew_and_replaced(
    tmp_path: Path, kind: str, damaged: bytes
) -> None:
    load(tmp_path).triple(7)
    assert kept(tmp_path, kind)
    for path in kept(tmp_path, kind):
        path.write_bytes(damaged)
    with pytest.warns(RuntimeWarning, match="damaged: the search is compiled anew"):
        assert load(tmp_path).triple(7) == 21
    mended = load(tmp_path)
    assert mended.triple(7) == 21, "and no warning, which would be an error here"
    assert sum(mended.triple.stats.cache_hits.values()) == 1


def test_full_disk_costs_time_only(tmp_path: Path) -> None:
    module = load(tmp_path)
    with full_disk(), pytest.warns(RuntimeWarning, match="cannot be kept on disk"):
        assert module.triple(7) == 21
    assert not kept(tmp_path, "nbc")


def test_damaged_code_on_a_full_disk(tmp_path: Path) -> None:
    load(tmp_path).triple(7)
    for path in kept(tmp_path, "nbc"):
        path.write_bytes(b"")
    module = load(tmp_path)
    with full_disk(), pytest.warns(RuntimeWarning, match="compile"):
        assert module.triple(7) == 21


def test_no_folder_to_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "__pycache__").write_bytes(b"a file, no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    with pytest.warns(RuntimeWarning, match="no folder for compiled code"):
        module = load(tmp_path)
    assert module.triple(7) == 21


def test_one_warning_is_shown_for_many_damaged_files(tmp_path: Path) -> None:
    load(tmp_path).triple(7)
    assert len(kept(tmp_path, "nbc")) == 2
    for path in kept(tmp_path, "nbc"):
        path.write_bytes(b"")
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        load(tmp_path).triple(7)
    assert len(shown) == 1
