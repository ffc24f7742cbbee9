"""Checksums are those of sha256sum, and every kind of damage is told apart."""

import shutil
import subprocess
from pathlib import Path

import pytest

from appliance.checksums import SUMS, verify_checksums, write_checksums
from appliance.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("model.bin", "config.json", "with space.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "below").mkdir()
    write_checksums(tmp_path)
    return tmp_path


def test_as_written_it_is_good(folder: Path) -> None:
    verdict = verify_checksums(folder)
    assert verdict.intact
    assert verdict.good == ("config.json", "model.bin", "with space.txt")
    assert str(verdict) == "good"


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="coreutils are not installed")
def test_sha256sum_reads_the_same_file(folder: Path) -> None:
    command = ["sha256sum", "--strict", "--check", SUMS]
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
    (folder / "model.bin").write_text("other")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 1


def test_damage_is_told_apart(folder: Path) -> None:
    (folder / "model.bin").write_text("model.biN")
    (folder / "config.json").unlink()
    (folder / "new.txt").write_text("")
    verdict = verify_checksums(folder)
    assert (verdict.changed, verdict.missing, verdict.unlisted) == (
        ("model.bin",), ("config.json",), ("new.txt",),
    )  # fmt: skip
    assert not verdict.intact
    assert str(verdict) == "changed: model.bin, missing: config.json, not listed: new.txt"


def test_a_new_file_alone_does_no_harm(folder: Path) -> None:
    (folder / "new.txt").write_text("")
    assert verify_checksums(folder).intact


def test_without_sums_nothing_is_known(tmp_path: Path) -> None:
    verdict = verify_checksums(tmp_path)
    assert not verdict.intact
    assert str(verdict) == "no checksums"


@pytest.mark.parametrize("line", ["no sums", "0123 model.bin", "../" * 22 + "  model.bin", ""])
def test_sums_that_are_none(folder: Path, line: str) -> None:
    (folder / SUMS).write_text(line + "\n")
    with pytest.raises(ConfigError, match="SHA256SUMS:1: not a line of sha256sum"):
        verify_checksums(folder)


def test_sums_that_were_cut_off(folder: Path) -> None:
    (folder / SUMS).write_bytes(b"")
    with pytest.raises(ConfigError, match="SHA256SUMS: empty"):
        verify_checksums(folder)


def test_a_part_of_a_folder(folder: Path) -> None:
    (folder / "config.json").write_text("changed")
    (folder / "new.txt").write_text("")
    verdict = verify_checksums(folder)
    assert str(verdict.about({"model.bin"})) == "good"
    assert str(verdict.about({"model.bin", "config.json"})) == "changed: config.json"
    assert str(verdict.about({"model.bin", "new.txt"})) == "not listed: new.txt"
    assert verdict.about(()).known
