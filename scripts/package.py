"""Make the bundle that an operator receives: one archive that installs a box without a network.

    commit ── source ──> own wheel, models, units, documents ─┐
    requirements.box.lock ── wheels ──> all others, by hash ──┼─> sbom ─> sums, signature ─> archive
    packaging/debian.lock ── debian ──> packages, index ──────┘

`make package` runs it. What it fetched and compiled stays in var/package: the next time needs no
network and takes seconds.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from appliance.checksums import digest
from bundling import debian, sbom, seal, wheels
from bundling.failure import BundleError
from bundling.source import Source, export, uncommitted
from bundling.template import for_a_box

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "var" / "package"
_NOT_FOR_A_BOX = ("recipe", "data", "pictures", "cards.py")
_SHARED = ("docs", "systemd", "monitoring")
_PLACE = "x86_64"
_SPARE_KB, _HALF_A_BLOCK = 100_000, 2048


def main(
    out: Annotated[Path, typer.Option(help="Folder of the archive")] = ROOT / "dist",
    signing_key: Annotated[
        Path | None, typer.Option(help="Secret key of minisign; default: a throw-away one")
    ] = None,
    mirror: Annotated[
        str, typer.Option(help="Debian mirror, or an archive of all; default: as apt has it here")
    ] = "",
    relock: Annotated[
        bool, typer.Option("--relock", help="Only resolve packaging/debian.in anew")
    ] = False,
) -> None:
    """Make dist/appliance-VERSION-x86_64.tar.gz of the commit that is checked out."""
    try:
        if relock:
            lock_debian(mirror)
        else:
            package(out, signing_key, mirror)
    except BundleError as error:
        typer.echo(f"package: {error}", err=True)
        raise typer.Exit(2) from error


def lock_debian(mirror: str) -> None:
    """Write packaging/debian.lock; asks the mirror."""
    names = debian.wanted(ROOT / "packaging" / "debian.in")
    packages = debian.resolve(names, debian.mirrors(mirror), KEPT / "apt")
    debian.write_lock(packages, ROOT / "packaging" / "debian.lock")
    size = sum(each.size for each in packages) / 1e6
    typer.echo(f"packaging/debian.lock: {len(packages)} packages, {size:.0f} MB")


def package(out: Path, signing_key: Path | None, mirror: str) -> None:
    """Make the archive, its signature and the public key beside it."""
    os.umask(0o022)  # modes are part of what is reproduced
    shutil.rmtree(KEPT / "source", ignore_errors=True)
    source = export(ROOT, KEPT / "source")
    if changed := uncommitted(ROOT):
        _say(f"not committed, so not in it: {len(changed)} files")
    name = f"appliance-{source.version}"
    bundle = KEPT / "bundle" / name
    shutil.rmtree(bundle.parent, ignore_errors=True)
    bundle.mkdir(parents=True)
    _say("Debian packages")
    python = _put_packages(source, bundle / "debs", mirror)
    _say("wheels")
    _put_wheels(source, bundle / "wheels", python)
    _say("models, documents, units")
    _put_files(source, bundle)
    _say(
        f"bill of materials: {sbom.write_bill(source, bundle, bundle / 'share' / 'sbom.cdx.json')}"
    )
    _say("sums, signature, archive")
    archive = _finish(source, bundle, out, signing_key)
    typer.echo(f"{digest(archive)}  {archive}  {archive.stat().st_size / 1e6:.0f} MB")


def _put_wheels(source: Source, into: Path, python: str) -> None:
    lock = source.folder / "requirements.box.lock"
    bench = wheels.Workbench(KEPT, source.folder / "packaging" / "build.lock")
    bench.prepare()
    files = bench.gather(wheels.read_lock(lock), lock)
    flags = wheels.llama_flags(source.folder / "scripts" / "install")
    into.mkdir()
    done = []
    for file in files:
        if file.suffix != ".whl":
            _say(f"{file.name}: as a wheel; minutes, if it was not built here before")
        wheel = file if file.suffix == ".whl" else bench.compile(file, flags)
        done.append(_copy(wheel, into))
    done.append(_copy(bench.build_own(source, KEPT / "own"), into))
    wheels.assert_fit(done, python)
    wheels.write_requirements(done, into / "requirements.txt")
    _copy(bench.pip_wheel(), into)


def _put_packages(source: Source, into: Path, mirror: str) -> str:
    """Put them there; gives the version of their Python."""
    packages = debian.read_lock(source.folder / "packaging" / "debian.lock")
    into.mkdir()
    for file in debian.fetch(packages, debian.mirrors(mirror), KEPT / "debs"):
        _copy(file, into)
    debian.write_index(into)
    names = debian.wanted(source.folder / "packaging" / "debian.in")
    (into / "wanted").write_text("\n".join(names) + "\n", "utf-8")
    return debian.python_of(packages)


def _put_files(source: Source, bundle: Path) -> None:
    shared = bundle / "share"
    for name in _SHARED:
        if (source.folder / name).is_dir():
            shutil.copytree(source.folder / name, shared / name)
    for name in ("LICENSE", "README.md", "CHANGELOG.md"):
        _copy(source.folder / name, shared)
    example = (source.folder / "appliance.example.toml").read_text("utf-8")
    (shared / "appliance.toml").write_text(for_a_box(example), "utf-8")
    shutil.copytree(source.folder / "models", bundle / "models",
                    ignore=shutil.ignore_patterns(*_NOT_FOR_A_BOX))  # fmt: skip
    _copy(source.folder / "packaging" / "box" / "install.sh", bundle)
    _copy(source.folder / "packaging" / "box" / "uninstall.sh", shared)
    (shared / "sizes").write_text(sizes(bundle), "utf-8")
    (bundle / "VERSION").write_text(f"{source.version}\n", "utf-8")
    seal.take_verifier(bundle / "debs", bundle / "verify")


def sizes(bundle: Path) -> str:
    """What install.sh wants free, in lines of a shell: kilobytes below /opt and below /usr."""
    unpacked = 0
    for wheel in (bundle / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as content:
            unpacked += sum(_on_disk(member) for member in content.infolist())
    models = sum(each.stat().st_size for each in (bundle / "models").rglob("*") if each.is_file())
    index = (bundle / "debs" / "Packages").read_text("utf-8")
    packages_kb = sum(
        int(size) for size in re.findall(r"^Installed-Size: (\d+)", index, re.MULTILINE)
    )
    return f"opt_kb={(unpacked + models) // 1024 + _SPARE_KB}\nusr_kb={packages_kb + _SPARE_KB}\n"


def _on_disk(member: zipfile.ZipInfo) -> int:
    """With the compiled form beside a module."""
    return member.file_size * (2 if member.filename.endswith(".py") else 1) + _HALF_A_BLOCK


def _finish(source: Source, bundle: Path, out: Path, signing_key: Path | None) -> Path:
    if signing_key is None:
        signing_key = seal.throw_away_key(KEPT)
        _say("signed with a throw-away key of this folder; SIGNING_KEY=FILE for yours")
    seal.seal(bundle, signing_key, source.version)
    out.mkdir(parents=True, exist_ok=True)
    archive = out / f"appliance-{source.version}-{_PLACE}.tar.gz"
    seal.pack(bundle, source, archive)
    seal.sign(archive, signing_key, source.version)
    _copy(bundle / seal.KEY, out).replace(out / "appliance.pub")
    return archive


def _copy(file: Path, into: Path) -> Path:
    into.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(file, into / file.name))


def _say(text: str) -> None:
    print(f"package: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    typer.run(main)
