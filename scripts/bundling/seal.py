"""Sums, signature and archive of a bundle.

    files ── SHA256SUMS ── minisign ──> SHA256SUMS.minisig ──┐
    verify/minisign, so that a bare box can check it ────────┴── tar.gz ── minisign ──> .minisig

The signature inside is for the box, the one beside is for whoever has minisign before he unpacks.
Two builds of one commit with one key are the same archive; with another key SHA256SUMS still is.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from appliance.checksums import digest
from bundling.failure import BundleError, run
from bundling.source import Source

SUMS, KEY = "SHA256SUMS", "signing.pub"
_UNSUMMED = {SUMS, f"{SUMS}.minisig", KEY}


def throw_away_key(folder: Path) -> Path:
    """A key for trying out, made once and kept below var/; it proves nothing to anybody else.

    Raises:
        BundleError: minisign cannot make one.
    """
    secret = folder / "throw-away.key"
    if not secret.exists():
        folder.mkdir(parents=True, exist_ok=True)
        run("minisign", "-G", "-W", "-s", str(secret), "-p", str(secret.with_suffix(".pub")))
    return secret


def public_of(secret: Path, into: Path) -> None:
    """Write the public key of a secret one.

    Raises:
        BundleError: it is no key of minisign, or its password is wrong.
    """
    run("minisign", "-R", "-f", "-s", str(secret), "-p", str(into))


def take_verifier(packages: Path, into: Path) -> None:
    """Take minisign, and the one library that a bare system lacks, out of the bundle's packages.

    Raises:
        BundleError: they are not in there.
    """
    into.mkdir()
    for pattern, member in (
        ("minisign_*.deb", "usr/bin/minisign"),
        ("libsodium23_*.deb", "usr/lib/x86_64-linux-gnu/libsodium.so.23"),
    ):
        found = list(packages.glob(pattern))  # fmt: skip
        if len(found) != 1:
            raise BundleError(f"debian.lock: {len(found)} packages {pattern}; one is needed")
        with tempfile.TemporaryDirectory() as place:
            run("dpkg-deb", "-x", str(found[0]), place)
            file = Path(place) / member
            shutil.copyfile(file, into / file.name)  # follows the link
            (into / file.name).chmod(0o755)


def seal(bundle: Path, secret: Path, version: str) -> None:
    """Write the sums of all files, and sign them.

    Raises:
        BundleError: minisign cannot sign.
    """
    files = sorted(path for path in bundle.rglob("*") if path.is_file())
    names = [path.relative_to(bundle).as_posix() for path in files]
    lines = [
        f"{digest(path)}  {name}\n"
        for path, name in zip(files, names, strict=True) if name not in _UNSUMMED
    ]  # fmt: skip
    (bundle / SUMS).write_text("".join(lines), "utf-8")
    public_of(secret, bundle / KEY)
    sign(bundle / SUMS, secret, version)


def sign(file: Path, secret: Path, version: str) -> None:
    """Write FILE.minisig; it tells the version, and no time, so that it is the same every time.

    Raises:
        BundleError: minisign cannot sign.
    """
    run("minisign", "-S", "-s", str(secret), "-m", str(file), "-x", f"{file}.minisig",
        "-t", f"voice-appliance {version}")  # fmt: skip


def pack(bundle: Path, source: Source, archive: Path) -> None:
    """Write the archive: sorted, owned by root, at the commit's time.

    Raises:
        BundleError: tar or gzip failed.
    """
    tar = archive.with_suffix("")
    run("tar", "-C", str(bundle.parent), "--format=gnu", "--sort=name",
        f"--mtime=@{source.epoch_s}", "--owner=0", "--group=0", "--numeric-owner",
        "--mode=go=rX,u+rwX", "-cf", str(tar), bundle.name)  # fmt: skip
    run("gzip", "-1", "-n", "-f", str(tar))
