"""The Python packages of a bundle: everything as a wheel, each with its hash.

    requirements.box.lock ── pip download, hashes checked ──┬─ wheels ─────────────────┐
                                                            └─ sources ── built, once ─┼─> wheels/
    our own source ── built anew ──────────────────────────────────────────────────────┘

What comes as source only is compiled so that two builds of it are the same file: fixed tools
(build.lock), the commit's time, no path of this machine in it. Compiled wheels are kept, since
llama.cpp takes minutes; their key is everything that they are made of.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from hashlib import sha256
from pathlib import Path

from packaging.specifiers import SpecifierSet

from appliance.checksums import digest
from bundling.failure import BundleError, run
from bundling.source import Source

LLAMA_FLAGS = re.compile(r"^llama_flags=\(([^)]*)\)", re.MULTILINE)
"""In scripts/install, which compiles the same library for `make test-all`."""

_REQUIREMENT = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>[^ \\]+)(?P<hashes>(?: \\\n +--hash=\S+)+)", re.MULTILINE
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_WAY = "1"  # raised when `compile` makes another wheel of the same source
_EPOCH_S = 1_600_000_000  # of wheels that are built from another's source: theirs has none


@dataclass(frozen=True, slots=True)
class Requirement:
    """A line of a lock: one package, one version, and the hashes that its files may have."""

    name: str
    version: str
    hashes: frozenset[str]


class Workbench:
    """Tools of fixed versions, and what they made before, in a folder that is kept.

    Args:
        kept: the folder; everything in it can be made again.
        lock: build.lock, the tools.
    """

    def __init__(self, kept: Path, lock: Path) -> None:
        self._kept = kept.resolve()
        self._lock = lock
        self._downloads = self._kept / "wheels"
        self._tools = self._kept / "tools"

    @property
    def python(self) -> str:
        """The interpreter that has the tools."""
        return str(self._tools / "bin" / "python")

    def prepare(self) -> None:
        """Install the tools, if another build.lock was there before.

        Raises:
            BundleError: they cannot be installed, or this is no Python 3.11.
        """
        if sys.version_info[:2] != (3, 11):
            raise BundleError("wheels are chosen for Debian 12's Python 3.11: use that one")
        stamp, state = self._tools / "installed", digest(self._lock)
        if stamp.is_file() and stamp.read_text() == state:
            return
        shutil.rmtree(self._tools, ignore_errors=True)
        run(sys.executable, "-m", "venv", str(self._tools))
        self._pip("install", "--require-hashes", "-r", str(self._lock))
        stamp.write_text(state)

    def gather(self, requirements: Sequence[Requirement], lock: Path) -> list[Path]:
        """Have the file of every line of a lock; what is there with its hash is not asked for.

        Raises:
            BundleError: the package index has one no more, or another of that name.
        """
        self._downloads.mkdir(parents=True, exist_ok=True)
        files = self._locked(requirements)
        if len(files) < len(requirements):
            self._pip("download", "--no-deps", "--require-hashes", "--no-build-isolation",
                      "-r", str(lock), "-d", str(self._downloads))  # fmt: skip
            files = self._locked(requirements)
        if missing := {each.name for each in requirements} - files.keys():
            raise BundleError(f"{lock.name}: pip did not bring {', '.join(sorted(missing))}")
        return [files[each.name] for each in requirements]

    def compile(self, archive: Path, flags: str) -> Path:
        """The wheel of a source archive; takes minutes for llama.cpp, the first time.

        Raises:
            BundleError: it does not compile.
        """
        compiler = run("cc", "--version").splitlines()[0]
        made_of = (digest(archive), flags, compiler, digest(self._lock), _WAY)
        folder = self._kept / "compiled" / sha256("\n".join(made_of).encode()).hexdigest()[:16]
        found = list(folder.glob("*.whl"))
        if found:
            return found[0]
        with tempfile.TemporaryDirectory(dir=self._kept) as place:
            with tarfile.open(archive) as content:
                content.extractall(place, filter="data")
            (source,) = (each for each in Path(place).iterdir() if each.is_dir())
            unplaced = f"-ffile-prefix-map={place}=."
            wheel = self._wheel(source, Path(place) / "made", _EPOCH_S, {
                "CMAKE_ARGS": flags, "CMAKE_GENERATOR": "Ninja",
                "SKBUILD_BUILD_DIR": f"{place}/build",
                # for compiling against it; tells where it was built
                "SKBUILD_WHEEL_EXCLUDE": "/lib/;/include/",
                "CFLAGS": unplaced, "CXXFLAGS": unplaced,
            })  # fmt: skip
            folder.mkdir(parents=True, exist_ok=True)
            return Path(shutil.move(wheel, folder / wheel.name))

    def build_own(self, source: Source, into: Path) -> Path:
        """Our own wheel, from an exported commit.

        Raises:
            BundleError: it cannot be built.
        """
        return self._wheel(source.folder, into, source.epoch_s, {})

    def _wheel(self, source: Path, into: Path, epoch_s: int, more: dict[str, str]) -> Path:
        shutil.rmtree(into, ignore_errors=True)
        before = os.umask(0o022)  # a wheel holds the modes of its files
        try:
            self._pip("wheel", "--no-deps", "--no-build-isolation", "--no-index",
                      "-w", str(into), str(source),
                      environment={"SOURCE_DATE_EPOCH": str(epoch_s), **more})  # fmt: skip
        finally:
            os.umask(before)
        (wheel,) = into.glob("*.whl")
        return wheel

    def pip_wheel(self) -> Path:
        """Pip itself, by which the box installs all others: its Python comes without."""
        requirement = next(each for each in read_lock(self._lock) if each.name == "pip")
        files = self._locked([requirement])
        if not files:
            self._pip("download", "--no-deps", "-d", str(self._downloads),
                      f"pip=={requirement.version}")  # fmt: skip
            files = self._locked([requirement])
        if not files:
            raise BundleError("pip download pip: not the file of build.lock")
        return files["pip"]

    def _locked(self, requirements: Sequence[Requirement]) -> dict[str, Path]:
        """Files that the lock knows, by the name of their package; a wheel before a source."""
        known = {digest(file): file for file in sorted(self._downloads.iterdir())}
        files = {}
        for each in requirements:
            fitting = sorted(known[key] for key in each.hashes & known.keys())
            if fitting:
                files[each.name] = max(fitting, key=lambda file: file.suffix == ".whl")
        return files

    def _pip(self, *arguments: str, environment: dict[str, str] | None = None) -> None:
        run(self.python, "-m", "pip", "--disable-pip-version-check", "-q", *arguments,
            environment=environment)  # fmt: skip


def read_lock(lock: Path) -> list[Requirement]:
    """The lines of a hashed requirements file."""
    return [
        Requirement(match["name"], match["version"], frozenset(_HASH.findall(match["hashes"])))
        for match in _REQUIREMENT.finditer(lock.read_text("utf-8"))
    ]


def llama_flags(install: Path) -> str:
    """How scripts/install compiles llama.cpp: for any x86-64 processor with AVX2.

    Raises:
        BundleError: it does not say.
    """
    found = LLAMA_FLAGS.search(install.read_text("utf-8"))
    if found is None:
        raise BundleError(f"{install}: no llama_flags=(…)")
    return " ".join(found[1].split())


def assert_fit(wheels: Sequence[Path], python: str) -> None:
    """Check that every wheel can be installed where the box's Python is of a version.

    Raises:
        BundleError: one asks for a newer Python.
    """
    for wheel in wheels:
        wanted = metadata_of(wheel)["Requires-Python"] or ""
        if python not in SpecifierSet(wanted):
            raise BundleError(
                f"{wheel.name} wants Python {wanted}, and Debian's is {python}: "
                "hold it back in pyproject.toml, then `make lock`"
            )


def metadata_of(wheel: Path) -> Message:
    """What a wheel says about itself."""
    with zipfile.ZipFile(wheel) as content:
        (place,) = (
            name for name in content.namelist()
            if name.endswith(".dist-info/METADATA") and name.count("/") == 1
        )  # fmt: skip
        return HeaderParser().parsestr(content.read(place).decode("utf-8"))


def write_requirements(wheels: Sequence[Path], into: Path) -> None:
    """Write what the box installs: every wheel, by its hash and by nothing else."""
    lines = []
    for wheel in sorted(wheels, key=lambda each: each.name.lower()):
        name, version = wheel.name.split("-")[:2]
        lines.append(f"{name.replace('_', '-').lower()}=={version} --hash=sha256:{digest(wheel)}\n")
    into.write_text("".join(lines), "utf-8")
