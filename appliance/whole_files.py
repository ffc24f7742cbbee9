"""Files that are written whole or not at all, also if the power fails.

    content ──> .NAME.part, new, synced ── rename ──> NAME ── its folder synced

Where a file lies that must not be half, or be readable for a moment by more than its mode says, it
is written here. Errors are the system's own: what they mean is for the caller to say.
"""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes, mode: int) -> None:
    """Write a file with its mode: the old or the new one is there at any moment.

    A link that lies at the place is replaced; one that lies at the place beside is not followed.

    Raises:
        OSError: it cannot be written; nothing is left of it, and the old one is as it was.
    """
    beside = path.with_name(f".{path.name}.part")
    data = content.encode() if isinstance(content, str) else content
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)  # whatever the umask is
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk: a new one must outlive a power cut.

    Raises:
        OSError: the folder or the disk cannot do it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
