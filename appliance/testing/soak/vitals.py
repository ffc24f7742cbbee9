"""What a process holds at one moment: memory, descriptors, threads. Read from /proc (Linux)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_IN_KIB = {"RssAnon": "anonymous_kib", "VmRSS": "resident_kib"}


@dataclass(frozen=True, slots=True)
class Vitals:
    """One process at one moment.

    Attributes:
        anonymous_kib: resident memory that is no file's: where leaks grow. Models and libraries
            that are mapped from disk come and go with the machine's memory.
        resident_kib: all resident memory.
        descriptors: open files, sockets and the like.
        threads: of all kinds, also a library's.
    """

    anonymous_kib: int
    resident_kib: int
    descriptors: int
    threads: int


def read_vitals(pid: int) -> Vitals:
    """How a process stands now.

    Raises:
        ProcessLookupError: it does not run (any more).
    """
    folder = PROC / str(pid)
    try:
        status = _status(folder)
        return Vitals(
            **{name: int(status[key].split()[0]) for key, name in _IN_KIB.items()},
            descriptors=len(list((folder / "fd").iterdir())),
            threads=int(status["Threads"]),
        )
    except (FileNotFoundError, KeyError) as error:  # a zombie has no memory to tell of
        raise ProcessLookupError(f"no process {pid} runs") from error


def _status(folder: Path) -> Mapping[str, str]:
    lines = (folder / "status").read_text(encoding="utf-8").splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
