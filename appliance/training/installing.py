"""Puts a new model in the place of the old one, at once and whole, and keeps the old one."""

from __future__ import annotations

import shutil
from pathlib import Path

from appliance.errors import ConfigError


def kept_at(target: Path) -> Path:
    """Where the model before that of a folder is kept."""
    return target.with_name(f"{target.name}.before")


def install(folder: Path, target: Path, *, keep: bool = True) -> Path | None:
    """Move a finished model to the target; files there that are not of a model stay with it.

    Each file is replaced by a rename; the classifier comes last, and loading one that does not fit
    the encoder is an error, so a crash between the two is noticed.

    Args:
        folder: of the finished model; it is empty afterwards.
        target: where it goes.
        keep: whether the old model is worth keeping in place of the one that is kept by now.

    Returns:
        where the old model is kept, if there was one.

    Raises:
        ConfigError: a file cannot be written; the old model is as it was, or in the folder named.
    """
    kept = kept_at(target)
    names = sorted(each.name for each in folder.iterdir())
    names.sort(key=lambda name: name.endswith(".npz"))
    try:
        target.mkdir(parents=True, exist_ok=True)
        old = [name for name in names if keep and (target / name).is_file()]
        if old:
            kept.mkdir(exist_ok=True)
            for name in old:
                shutil.copy2(target / name, kept / name)
        for name in names:
            (folder / name).replace(target / name)
    except OSError as error:
        raise ConfigError(
            f"{target}: the new model could not be put in place: {error.strerror}"
            + (f"; the old one is in {kept}" if kept.is_dir() else "")
        ) from error
    return kept if old else None
