"""The bundle of this commit, made once for all tests that install it in a booted box."""

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from bundling.seal import KEY, seal, throw_away_key

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "var" / "package"


@dataclass(frozen=True)
class Bundles:
    """Two versions, unpacked: the one of this commit, and the same by another name.

    Attributes:
        archive: of the first, with its public key beside it, as `make package` leaves them.
    """

    archive: Path
    first: Path
    second: Path


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Bundles:
    folder = tmp_path_factory.mktemp("bundles")
    subprocess.run(
        [sys.executable, ROOT / "scripts" / "package.py", "--out", folder], check=True, cwd=ROOT
    )
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")
    (first,) = folder.glob("appliance-*/")
    second = folder / "second"
    shutil.copytree(first, second, copy_function=os.link)
    for name in ("VERSION", KEY, "SHA256SUMS", "SHA256SUMS.minisig"):
        (second / name).unlink()
    (second / "VERSION").write_text("99\n")
    seal(second, throw_away_key(KEPT), "99")
    return Bundles(archive, first, second)
