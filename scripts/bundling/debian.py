"""The Debian packages of a bundle: which ones, from where, and the index that apt reads.

    debian.in ── resolve (apt, on an empty system) ──> debian.lock ── fetch ──> *.deb, Packages

The lock holds everything down to libc6, since a box may be older than the bundle; apt takes from it
only what that box lacks. They come from where this machine's own apt has its packages. A mirror
drops a version when a newer one comes: then resolve again, or name an archive that keeps them all
(`--mirror`).
"""

from __future__ import annotations

import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from appliance.checksums import digest
from bundling.failure import BundleError, run

_SUITES = (
    ("debian", "bookworm"),
    ("debian", "bookworm-updates"),
    ("debian-security", "bookworm-security"),
)
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_URI = re.compile(r"^'(?P<uri>[^']+)' (?P<file>\S+) (?P<size>\d+) ")
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) (?P<size>\d+) (?P<path>\S+\.deb)")
_PYTHON = re.compile(r"python3\.11-minimal_(3\.11\.\d+)")
_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """One package as the lock names it.

    Attributes:
        path: archive and place in it: `debian/pool/main/k/kamailio/kamailio_5.6.3-2_amd64.deb`.
        size: bytes.
        digest: SHA-256, hexadecimal.
    """

    path: str
    size: int
    digest: str

    @property
    def file(self) -> str:
        """Its name in the bundle."""
        return self.path.rpartition("/")[2]


def wanted(listed: Path) -> list[str]:
    """The packages that debian.in names."""
    lines = (line.partition("#")[0].strip() for line in listed.read_text("utf-8").splitlines())
    return [line for line in lines if line]


def mirrors(given: str = "") -> dict[str, str]:
    """Where each of Debian's archives is: below the mirror that is given, else where apt has it.

    Raises:
        BundleError: this machine's apt has them from nowhere.
    """
    archives = dict.fromkeys(archive for archive, _ in _SUITES)
    if given:
        return {archive: f"{given.rstrip('/')}/{archive}" for archive in archives}
    told = run("apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)",
               "Created-By: Packages")  # fmt: skip
    return mirrors_in(told)


def mirrors_in(told: str) -> dict[str, str]:
    """The same, of lines with a suite and where it is, as apt gives them.

    Raises:
        BundleError: a suite is not among them.
    """
    known = dict(line.split() for line in reversed(told.splitlines()) if line.count(" ") == 1)
    if missing := [suite for _, suite in _SUITES if suite not in known]:
        raise BundleError(f"apt has no {missing[0]} on this machine: name a mirror by --mirror")
    return {archive: known[suite].rstrip("/") for archive, suite in reversed(_SUITES)}


def resolve(names: list[str], mirrored: Mapping[str, str], work: Path) -> list[Package]:
    """What apt would install on a system that has nothing at all; asks the mirrors.

    Raises:
        BundleError: a mirror does not answer, or the packages do not go together.
    """
    options = _apart(mirrored, work)
    run("apt-get", *options, "update")
    told = run(
        "apt-get", *options, "install", "--print-uris", "-qq", "--no-install-recommends", *names
    )
    uris = [match for line in told.splitlines() if (match := _URI.match(line))]
    listed = run("apt-cache", *options, "dumpavail")
    digests = dict(_digests(listed))
    packages = []
    for match in uris:
        archive, place = _placed(unquote(match["uri"]), mirrored)
        packages.append(Package(f"{archive}/{place}", int(match["size"]), digests[place]))
    return sorted(packages)


def python_of(packages: Iterable[Package]) -> str:
    """The version of Debian's Python, e.g. 3.11.2.

    Raises:
        BundleError: it is not among the packages.
    """
    for package in packages:
        if found := _PYTHON.match(package.file):
            return found[1]
    raise BundleError("debian.lock: no python3.11-minimal")


def read_lock(lock: Path) -> list[Package]:
    """The packages of debian.lock.

    Raises:
        BundleError: it is missing, or a line is none of its kind.
    """
    try:
        lines = lock.read_text("utf-8").splitlines()
    except OSError as error:
        raise BundleError(f"{lock}: {error.strerror}: scripts/package.py --relock") from error
    packages = []
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise BundleError(f"{lock}:{number}: not `SHA256 SIZE PATH`")
        packages.append(Package(match["path"], int(match["size"]), match["digest"]))
    return packages


def write_lock(packages: list[Package], lock: Path) -> None:
    """Write debian.lock."""
    head = "# Made by scripts/package.py --relock of debian.in: SHA-256, bytes, path on a mirror.\n"
    lines = "".join(f"{each.digest} {each.size} {each.path}\n" for each in packages)
    lock.write_text(head + lines, "utf-8")


def fetch(packages: list[Package], mirrored: Mapping[str, str], kept: Path) -> list[Path]:
    """Have every package in the folder `kept`, whole; what is there already is not asked for.

    Raises:
        BundleError: a mirror has one no more, or another of that name.
    """
    kept.mkdir(parents=True, exist_ok=True)
    files = []
    for package in packages:
        file = kept / package.file
        if not file.is_file() or digest(file) != package.digest:
            archive, _, place = package.path.partition("/")
            address = f"{mirrored[archive]}/{quote(place)}"
            _download(address, file)
            if digest(file) != package.digest:
                file.unlink()
                raise BundleError(f"{address}: not the package of debian.lock")
        files.append(file)
    return files


def write_index(folder: Path) -> None:
    """Write the file Packages that makes a folder of packages a repository for apt.

    Raises:
        BundleError: a file there is no package.
    """
    stanzas = []
    for file in sorted(folder.glob("*.deb")):
        control = run("dpkg-deb", "--field", str(file))
        stanzas.append(
            f"{control}\nFilename: ./{file.name}\nSize: {file.stat().st_size}\n"
            f"SHA256: {digest(file)}\n"
        )
    (folder / "Packages").write_text("\n".join(stanzas), "utf-8")


def _placed(address: str, mirrored: Mapping[str, str]) -> tuple[str, str]:
    """The archive of a package, and its place in it."""
    for archive, mirror in mirrored.items():
        if address.startswith(f"{mirror}/"):
            return archive, address.removeprefix(f"{mirror}/")
    raise BundleError(f"{address}: not of {', '.join(mirrored.values())}")


def _apart(mirrored: Mapping[str, str], work: Path) -> list[str]:
    """Options that make apt forget this machine: its packages, its sources, its caches."""
    work = work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    (work / "status").touch()
    sources = work / "sources.list"
    sources.write_text(
        "".join(
            f"deb [arch=amd64 signed-by={_KEYRING}] {mirrored[archive]} {suite} main\n"
            for archive, suite in _SUITES
        ),
        "utf-8",
    )
    settings = {
        "Dir::State": work,
        "Dir::State::status": work / "status",
        "Dir::State::lists": work / "lists",
        "Dir::Cache": work / "cache",
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "APT::Architecture": "amd64",
        "APT::Sandbox::User": "root",
    }
    return [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]


def _digests(dump: str) -> Iterator[tuple[str, str]]:
    for stanza in dump.split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in stanza.splitlines() if ": " in line and line[0] != " "
        )
        if "Filename" in fields:
            yield fields["Filename"], fields["SHA256"]


def _download(address: str, file: Path) -> None:
    part = file.with_suffix(".part")
    try:
        with (
            urllib.request.urlopen(address, timeout=_TIMEOUT_S) as answer,  # noqa: S310 (ours)
            part.open("wb") as out,
        ):
            shutil.copyfileobj(answer, out)
    except (urllib.error.URLError, OSError) as error:
        raise BundleError(
            f"{address}: {error}\nA mirror keeps the newest version only: "
            "scripts/package.py --relock, or --mirror with an archive of all"
        ) from error
    part.replace(file)
