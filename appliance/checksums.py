"""SHA256SUMS of a model folder: what it held when it was written.

The file is that of `sha256sum`, so `sha256sum -c SHA256SUMS` in the folder checks it as well. It
finds damage and mix-ups. It is no signature: who can change a model can change its sums too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from appliance.errors import ConfigError

SUMS = "SHA256SUMS"
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>[^/\0]+)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the files since their sums were written.

    Attributes:
        known: whether there is a SHA256SUMS at all.
        good: files that are as they were.
        changed: files with other contents.
        missing: files that are gone.
        unlisted: files that came later.
    """

    known: bool
    good: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether there are sums, and every file is there as it was. Others may have come."""
        return self.known and not self.changed and not self.missing

    def about(self, names: Collection[str]) -> Verdict:
        """The part of it that is about these files: a folder may hold several models."""
        kept = (
            tuple(name for name in each if name in names)
            for each in (self.good, self.changed, self.missing, self.unlisted)
        )
        return Verdict(self.known, *kept)

    def __str__(self) -> str:
        if not self.known:
            return "no checksums"
        counts = {"changed": self.changed, "missing": self.missing, "not listed": self.unlisted}
        return ", ".join(f"{name}: {' '.join(each)}" for name, each in counts.items() if each) or (
            "good"
        )


def write_checksums(folder: Path) -> None:
    """Write SHA256SUMS over every file of a folder; folders in it and hidden files are left out.

    Raises:
        OSError: it cannot be read or written.
    """
    lines = [f"{digest(folder / name)}  {name}\n" for name in _names(folder)]
    rough = folder / f".{SUMS}"
    rough.write_text("".join(lines), "utf-8")
    rough.replace(folder / SUMS)


def verify_checksums(folder: Path) -> Verdict:
    """Compare the files with their sums.

    Raises:
        ConfigError: SHA256SUMS is no such file, or a file cannot be read.
    """
    try:
        if not (folder / SUMS).is_file():
            return Verdict(known=False)
        wanted = dict(_parse(folder / SUMS))
        names = set(_names(folder))
        same = {name: digest(folder / name) == wanted[name] for name in wanted.keys() & names}
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return Verdict(
        known=True,
        good=tuple(sorted(name for name, right in same.items() if right)),
        changed=tuple(sorted(name for name, right in same.items() if not right)),
        missing=tuple(sorted(wanted.keys() - names)),
        unlisted=tuple(sorted(names - wanted.keys())),
    )


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _names(folder: Path) -> list[str]:
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and path.name != SUMS and not path.name.startswith(".")
    )


def _parse(path: Path) -> Iterator[tuple[str, str]]:
    """Names and digests."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a file of checksums") from error
    if not lines:  # cut off: all files would be as they never were
        raise ConfigError(f"{path}: empty")
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ConfigError(f"{path}:{number}: not a line of sha256sum")
        yield match["name"], match["digest"]
