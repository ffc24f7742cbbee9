import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache
from appliance.tts.pruning import Pruned, damaged, prune, stored

TEXTS = ["One.", "Two.", "Three.", "Four."]
_DAY_S = 86_400


@pytest.fixture
def cache(tmp_path: Path) -> PromptCache:
    """Four prompts, the first the longest unused: four days, three, two and one."""
    found = PromptCache(ToneVoice(), tmp_path)
    found.prepare(TEXTS, lambda *_: None)
    for days, text in zip((4, 3, 2, 1), TEXTS, strict=True):
        used = time.time() - days * _DAY_S
        os.utime(found.path(text), (used, used))
    return found


def left(cache: PromptCache) -> list[str]:
    return [text for text in TEXTS if cache.path(text).exists()]


def test_what_is_not_wanted_goes(cache: PromptCache, tmp_path: Path) -> None:
    size = sum(cache.path(text).stat().st_size for text in TEXTS)
    kept = cache.path("Two.").stat().st_size
    assert prune(tmp_path, [cache.path("Two.")]) == Pruned(3, size - kept, 1, kept)
    assert left(cache) == ["Two."]


def test_what_was_used_lately_stays(cache: PromptCache, tmp_path: Path) -> None:
    prune(tmp_path, [], older_than_s=2.5 * _DAY_S)
    assert left(cache) == ["Three.", "Four."]


def test_the_longest_unused_goes_until_the_rest_is_small_enough(
    cache: PromptCache, tmp_path: Path
) -> None:
    newest = sum(cache.path(text).stat().st_size for text in TEXTS[2:])
    prune(tmp_path, [cache.path("One.")], at_most_bytes=newest + 10)
    assert left(cache) == ["One.", "Four."]  # what is wanted stays, however long unused


def test_a_dry_run_only_counts(cache: PromptCache, tmp_path: Path) -> None:
    assert prune(tmp_path, [], dry=True).files == 4
    assert left(cache) == TEXTS


def test_reading_a_prompt_is_using_it(cache: PromptCache, tmp_path: Path) -> None:
    PromptCache(ToneVoice(), tmp_path).prepare(["One."], lambda *_: None)
    prune(tmp_path, [], older_than_s=0.5 * _DAY_S)
    assert left(cache) == ["One."]


def test_only_its_own_files_are_touched(cache: PromptCache, tmp_path: Path) -> None:
    folder = cache.path("One.").parent
    own = [folder / f"{'0' * 64}.s16", folder / f"{'0' * 64}.7-8.part"]
    others = [
        tmp_path / "letter.spoken", folder / "notes.txt", tmp_path / "Documents" / f"{'0' * 64}.s16"
    ]  # fmt: skip
    for path in (*own, *others):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    prune(tmp_path, [])
    assert not any(path.exists() for path in own)
    assert all(path.exists() for path in others)


def test_a_part_that_is_being_written_stays(cache: PromptCache, tmp_path: Path) -> None:
    part = cache.path("One.").with_suffix(".7-8.part")
    part.write_bytes(b"x")
    prune(tmp_path, [])
    assert part.exists()


def test_an_empty_folder_of_a_voice_goes_too(cache: PromptCache, tmp_path: Path) -> None:
    prune(tmp_path, [])
    assert list(tmp_path.iterdir()) == []
    assert prune(tmp_path / "nothing", []) == Pruned()


def test_an_empty_folder_of_others_stays(cache: PromptCache, tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    prune(tmp_path, [])
    assert left(cache) == []
    assert [path.name for path in tmp_path.iterdir()] == ["recordings"]


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "No such file"), PermissionError(13, "Permission denied")]
)
def test_a_folder_that_goes_or_may_not_be_read_is_no_error(
    cache: PromptCache, tmp_path: Path, error: OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another box prunes the folder that both use; or it belongs to another user."""
    listed = Path.iterdir

    def iterdir(folder: Path) -> Iterator[Path]:
        if folder != tmp_path:
            raise error
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert prune(tmp_path, []) == Pruned()
    assert left(cache) == TEXTS


def test_damaged_files_are_found(cache: PromptCache, tmp_path: Path) -> None:
    assert damaged(tmp_path) == []
    path = cache.path("Two.")
    path.write_bytes(path.read_bytes()[:-1])
    assert damaged(tmp_path) == [path]
    assert [rendering.speech for _, rendering in stored(tmp_path)] != TEXTS
    assert {rendering.speech for _, rendering in stored(tmp_path)} == {*TEXTS} - {"Two."}
