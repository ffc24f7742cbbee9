"""Where a model is made before it stands in its place: whole, at once, by one program at a time.

    place_for -> workshop ( assert_own_files, assert_room, … the making … ) -> settle

Models of all kinds are brought on disks: those that hear, those that speak.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from appliance.errors import ConfigError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SPARE = 1.05


def place_for(models: Path, name: str, kind: str) -> Path:
    """Where a new model of this name will be.

    Args:
        models: the folder of such models.
        name: of the new one.
        kind: what it is called in a message, e.g. "voice".

    Raises:
        ConfigError: the name is taken or no name.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be a {kind}'s name: letters, digits, '.', '_' and '-' only; "
            "give another (--name)"
        )
    target = models / name
    if target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: the name is taken; give another (--name)")
    return target


def assert_own_files(folder: Path, paths: Iterable[Path]) -> None:
    """Refuse links to elsewhere: what a stick names so is some file of this box.

    A Hugging Face cache (`snapshots/REVISION/…` beside `blobs`) is made of links to its blobs.

    Raises:
        ConfigError: one of the paths leads out of the folder.
    """
    place = folder.resolve()
    own = [place]
    own += [above.parent / "blobs" for above in place.parents if above.name == "snapshots"]
    for path in paths:
        if path.is_symlink() and path.resolve().parent not in own:
            raise ConfigError(
                f"{path}: a link to {path.resolve()}, outside of the folder: put the file there"
            )


def assert_room(folder: Path, paths: Iterable[Path]) -> None:
    """See that these files would fit: better told now than after minutes.

    Raises:
        ConfigError: the disk is too full.
    """
    needed = int(_SPARE * sum(path.stat().st_size for path in paths))
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ConfigError(
            f"{folder.parent}: the disk is too full: {needed / 1e6:.0f} MB are needed, "
            f"{free / 1e6:.0f} MB are free"
        )


def settle(folder: Path, target: Path) -> None:
    """Let what was made in a workshop appear under its name, when all of it is on the disk."""
    folder.chmod(0o755)  # a workshop is its maker's only
    _flush(folder)
    folder.rename(target)
    _flush(target.parent)


@contextmanager
def workshop(target: Path) -> Iterator[Path]:
    """An empty folder beside the target, so that it can be moved there; gone afterwards.

    Raises:
        ConfigError: nothing can be written there, or no more: the disk is full; or another model
            is being made there.
    """
    prefix = f".{target.name}."
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{target.parent}: cannot be written: {error.strerror}") from error
    try:
        with _alone_in(target.parent):
            for left in target.parent.glob(f"{prefix}*"):  # by a program that was killed
                shutil.rmtree(left, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise ConfigError(
            f"{target}: the model cannot be made: {error.strerror or error}"
        ) from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder itself, which leaves no file behind."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise ConfigError(f"{folder}: another model is being made here; wait for it") from error
    finally:
        os.close(handle)


def _flush(folder: Path) -> None:
    """To the disk before a name says that it is there: power may fail."""
    for path in (*(each for each in folder.iterdir() if each.is_file()), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
