"""Disks that really fill up or break: mounted by the test, which has to be root for it.

small_disk     a tmpfs of a few megabytes
breaking_disk  an ext4 on a loop device; `breaks` does to it what a fault of the hardware does:
               the kernel makes it read-only under the open files; `mended` is the next boot
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_BLOCK = 4096
_REPAIRED = 1
"""What e2fsck ends with when it has put something right."""


def _run(*command: str | Path) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk of its own for this test: {command[0]}: {done.stderr.strip()}")


@dataclass(frozen=True)
class Disk:
    """One that is mounted."""

    folder: Path

    @property
    def _filler(self) -> Path:
        return self.folder / "filler"

    def fill(self, leave_kib: int = 0) -> None:
        """Take all its room; of which `leave_kib` are given back, in whole blocks."""
        taken = 0
        with self._filler.open("wb", buffering=0) as file:
            try:
                while True:
                    taken += file.write(b"\0" * _BLOCK)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
            file.truncate(max(0, taken - leave_kib * 1024))

    def free(self) -> None:
        """Make room again."""
        self._filler.unlink()


@dataclass(frozen=True)
class BreakingDisk(Disk):
    """An ext4 that lies in a file."""

    image: Path

    def breaks(self) -> None:
        """Nothing can be written any more, also through files that are open."""
        _run("mount", "-o", "remount,abort", self.folder)

    def mended(self) -> None:
        """Checked and mounted again; files must not be open."""
        subprocess.run(["umount", str(self.folder)], check=True)
        check = ["e2fsck", "-fy", str(self.image)]
        done = subprocess.run(check, capture_output=True, check=False)
        assert done.returncode <= _REPAIRED, done.stdout
        _run("mount", "-o", "loop", self.image, self.folder)


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int = 4) -> Iterator[Disk]:
    """A disk that is mounted there; gone afterwards."""
    with _mounted(folder, "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs"):
        yield Disk(folder)


@contextlib.contextmanager
def breaking_disk(folder: Path, megabytes: int = 16) -> Iterator[BreakingDisk]:
    """A disk that is mounted there; gone afterwards."""
    image = folder.with_name(f"{folder.name}.ext4")
    with image.open("wb") as file:
        file.truncate(megabytes << 20)
    _run("mkfs.ext4", "-q", "-F", "-m", "0", image)
    with _mounted(folder, "-o", "loop,errors=remount-ro", image):
        yield BreakingDisk(folder, image)


@contextlib.contextmanager
def _mounted(folder: Path, *what: str | Path) -> Iterator[None]:
    if os.geteuid():
        pytest.skip("only root can mount a disk of its own for this test")
    folder.mkdir()
    _run("mount", *what, folder)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
