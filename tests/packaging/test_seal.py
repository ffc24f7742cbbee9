"""What install.sh verifies, on a small bundle: the real script, minisign and sums."""

import gzip
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from bundling.seal import KEY, pack, public_of, seal, sign, throw_away_key
from bundling.source import Source

ROOT = Path(__file__).resolve().parents[2]
BOX = ROOT / "packaging" / "box"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "appliance-1"
    (folder / "verify").mkdir(parents=True)
    for name in ("install.sh", "verify/minisign"):
        shutil.copy(BOX / "install.sh", folder / name)
    (folder / "VERSION").write_text("1\n")
    (folder / "models").mkdir()
    (folder / "models" / "a model").write_text("weights")
    return folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return throw_away_key(tmp_path / "keys")


def verify(bundle: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [bundle / "install.sh", "--verify-only", *options],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def public(key: Path) -> str:
    file = key.with_name("given.pub")
    public_of(key, file)
    return str(file)


def test_a_bundle_is_good_with_the_suppliers_key(bundle: Path, key: Path) -> None:
    seal(bundle, key, "1")
    done = verify(bundle, "--key", public(key))
    assert done.returncode == 0, done.stderr
    assert "verified: signature and 4 files" in done.stdout


def test_without_a_key_somebody_must_accept_the_bundles_own(bundle: Path, key: Path) -> None:
    seal(bundle, key, "1")
    done = verify(bundle)
    assert done.returncode == 1
    assert "nobody to ask: --key FILE, or --accept-key" in done.stderr
    assert (bundle / KEY).read_text().splitlines()[1] in done.stdout
    assert verify(bundle, "--accept-key").returncode == 0


def test_a_bundle_of_another_key_is_refused(bundle: Path, key: Path, tmp_path: Path) -> None:
    seal(bundle, throw_away_key(tmp_path / "forger"), "1")
    done = verify(bundle, "--key", public(key))
    assert done.returncode == 1
    assert "not the supplier's, or was changed" in done.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda bundle: (bundle / "models" / "a model").write_text("others"),
        lambda bundle: (bundle / "models" / "a model").unlink(),
        lambda bundle: (bundle / "VERSION").write_text("2\n"),
        lambda bundle: (bundle / "models" / "more").write_text("unsigned"),
        lambda bundle: (bundle / "models" / "link").symlink_to("/etc/passwd"),
        lambda bundle: (bundle / "SHA256SUMS").write_text(""),
        lambda bundle: (bundle / "SHA256SUMS.minisig").unlink(),
    ],
    ids=["changed", "missing", "version", "more", "link", "no sums", "no signature"],
)
def test_a_bundle_that_is_not_as_it_was_signed_is_refused(change, bundle: Path, key: Path) -> None:  # type: ignore[no-untyped-def]
    seal(bundle, key, "1")
    change(bundle)
    assert verify(bundle, "--key", public(key)).returncode == 1


@pytest.mark.parametrize("name", ["", "models", "models/a model", "install.sh"])
@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_bundle_that_others_can_write_is_refused(
    bundle: Path, key: Path, name: str, mode: int
) -> None:
    """They could change it after it was verified."""
    seal(bundle, key, "1")
    (bundle / name).chmod(mode)
    done = verify(bundle, "--key", public(key))
    assert (done.returncode, "unpack the archive anew" in done.stderr) == (1, True), done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_bundle_of_another_users_is_refused(bundle: Path, key: Path) -> None:
    seal(bundle, key, "1")
    os.chown(bundle / "models", 4711, 4711)
    done = verify(bundle, "--key", public(key))
    assert (done.returncode, "models is not root's alone" in done.stderr) == (1, True), done.stderr


def test_two_archives_of_the_same_files_are_the_same(bundle: Path, key: Path) -> None:
    source = Source(bundle, "1", "0" * 40, 1_700_000_000)
    archives = []
    for name in ("a.tar.gz", "b.tar.gz"):
        for file in bundle.rglob("*"):
            file.touch()
        bundle.chmod(0o700 if name == "a.tar.gz" else 0o755)
        seal(bundle, key, "1")
        pack(bundle, source, bundle.parent / name)
        sign(bundle.parent / name, key, "1")
        archives.append(bundle.parent / name)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    signatures = [
        each.with_name(f"{each.name}.minisig").read_text().splitlines()[1:] for each in archives
    ]
    assert signatures[0] == signatures[1]


def test_an_archive_is_roots_and_readable_by_all(bundle: Path, key: Path) -> None:
    seal(bundle, key, "1")
    pack(bundle, Source(bundle, "1", "0" * 40, 1_700_000_000), bundle.parent / "a.tar.gz")
    content = gzip.decompress((bundle.parent / "a.tar.gz").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = archive.getmembers()
    assert {(each.uid, each.gid, each.mtime) for each in members} == {(0, 0, 1_700_000_000)}
    assert all(each.mode & 0o444 == 0o444 for each in members)


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_scripts_say_how_they_are_used(script: str) -> None:
    done = subprocess.run(
        ["sh", BOX / script, "--help"], check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith("Usage: ")
    assert (
        subprocess.run(
            ["sh", BOX / script, "--no-such"], check=False, capture_output=True
        ).returncode
        == 2
    )
