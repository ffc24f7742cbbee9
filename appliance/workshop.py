"""Where a model is made before it stands in its place: whole, at once, by one program at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from appliance.errors import ConfigError


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
