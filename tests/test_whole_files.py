"""Files that are there whole or not at all."""

import os
import resource
import stat
from pathlib import Path

import pytest

from appliance.whole_files import write_whole


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_has_its_content_and_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o777)
    before = os.umask(0o077)
    try:
        write_whole(path, "ü", mode)
    finally:
        os.umask(before)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == ("ü".encode(), mode)
    write_whole(path, b"\xff", mode)
    assert path.read_bytes() == b"\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_no_link_is_followed(tmp_path: Path) -> None:
    others = tmp_path / "another's"
    others.write_text("kept")
    for name in ("a", ".a.part"):
        (tmp_path / name).symlink_to(others)
    write_whole(tmp_path / "a", "new", 0o600)
    assert (others.read_text(), (tmp_path / "a").read_text()) == ("kept", "new")
    assert not (tmp_path / "a").is_symlink()


def test_a_full_disk_leaves_the_old_one_and_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(path, "x" * 5000, 0o600)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
