"""Takes out of the prompt cache what no flow and no voice needs any more.

Only files of the cache's own making are touched, wherever its folder points to: prompts in a
voice's folder, parts that a killed process left, and prompts of the format before this one.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog

from appliance.tts.renderings import SUFFIX, Rendering, read_rendering

_VOICE = re.compile(r"[0-9a-z-]{1,16}")
_PROMPT = re.compile(rf"[0-9a-f]{{64}}({re.escape(SUFFIX)}|\.s16)")
_PART = re.compile(r"[0-9a-f]{64}\.\d+(-\d+)?\.part")
_PART_AGE_S = 3600.0  # no sentence takes an hour: whoever wrote it is gone
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was taken out, and what is left: files and their bytes."""

    files: int = 0
    size: int = 0
    kept_files: int = 0
    kept_size: int = 0


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    size: int
    used_s: float  # wall time of its last use


def prune(
    cache: Path,
    wanted: Iterable[Path],
    *,
    older_than_s: float = 0.0,
    at_most_bytes: int = 0,
    dry: bool = False,
) -> Pruned:
    """Remove prompts that are not wanted, the longest unused first.

    Args:
        cache: the folder of all voices.
        wanted: files that stay, whatever else.
        older_than_s: others stay too if they were used within so many seconds.
        at_most_bytes: others stay as long as all together are no larger than this.
        dry: only count.
    """
    keep, now = set(wanted), time.time()
    found = list(_files(cache))
    size = left = sum(each.size for each in found)
    gone: list[Path] = []
    for each in sorted(found, key=lambda each: each.used_s):
        part = _PART.fullmatch(each.path.name) is not None
        if part:
            stays = now - each.used_s < _PART_AGE_S
        else:
            recent = bool(older_than_s) and now - each.used_s < older_than_s
            stays = each.path in keep or recent or left <= at_most_bytes
        if not stays and (dry or _unlink(each.path)):
            gone.append(each.path)
            left -= each.size
    if not dry:
        _remove_empty({path.parent for path in gone})
    return Pruned(len(gone), size - left, len(found) - len(gone), left)


def damaged(cache: Path) -> list[Path]:
    """Prompts whose checksum or name is wrong; the next start renders them anew."""
    prompts = (each.path for each in _files(cache) if each.path.suffix == SUFFIX)
    return [path for path in prompts if read_rendering(path, tell=False) is None]


def stored(cache: Path) -> Iterator[tuple[Path, Rendering]]:
    """Every intact prompt of every voice."""
    for each in _files(cache):
        if each.path.suffix == SUFFIX and (rendering := read_rendering(each.path)):
            yield each.path, rendering


def _files(cache: Path) -> Iterator[_File]:
    """The cache's own files; another process may write and prune there at the same time."""
    for folder in _entries(cache):
        if not _VOICE.fullmatch(folder.name) or not folder.is_dir() or folder.is_symlink():
            continue
        for path in _entries(folder):
            if _PROMPT.fullmatch(path.name) or _PART.fullmatch(path.name):
                try:
                    told = path.stat()
                except FileNotFoundError:
                    continue
                yield _File(path, told.st_size, told.st_mtime)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.warning("prompt cache not looked at", path=str(folder), why=error.strerror)
        return []


def _unlink(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("prompt not removed from the cache", path=str(path), why=error.strerror)
        return False
    return True


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of them that have nothing in them any more."""
    for folder in folders:
        with contextlib.suppress(OSError):  # there is something, or another was faster
            folder.rmdir()
