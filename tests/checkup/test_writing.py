import stat
from pathlib import Path

import pytest

from appliance.checkup.writing import (
    set_zone,
    write_config,
    write_secret,
    write_whole,
    zone_of,
    zones,
)
from appliance.errors import ConfigError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_configuration_of_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.toml"
    assert write_config(path, "one") is None
    kept = write_config(path, "two")
    assert kept is not None
    assert (path.read_text(), kept.read_text(), kept.name) == ("two", "one", "a.toml.bak")
    assert mode(path) == mode(kept) == 0o644
    assert write_config(path, "two") is None
    assert kept.read_text() == "one"


def test_secret_is_its_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "line" / "sip-password"
    write_secret(path, "correct horse")
    assert path.read_text() == "correct horse\n"
    assert [mode(each) for each in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]


def test_a_link_that_lies_in_the_way_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("safe")
    (tmp_path / ".a.part").symlink_to(victim)
    write_whole(tmp_path / "a", "new")
    assert (victim.read_text(), (tmp_path / "a").read_text()) == ("safe", "new")


def test_what_cannot_be_written_is_said_and_leaves_the_old(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(ConfigError, match="a: cannot be written"):
        write_whole(tmp_path / "a", "new")
    with pytest.raises(ConfigError, match="no/a: cannot be written"):
        write_whole(tmp_path / "no" / "a", "new")


def test_time_zone_is_set_as_debian_keeps_it(tmp_path: Path) -> None:
    assert zone_of(tmp_path) == "UTC"
    set_zone("America/Los_Angeles", tmp_path)
    assert zone_of(tmp_path) == "America/Los_Angeles"
    assert (tmp_path / "timezone").read_text() == "America/Los_Angeles\n"
    set_zone("Etc/UTC", tmp_path)
    assert zone_of(tmp_path) == "Etc/UTC"
    assert {"Europe/Berlin", "US/Pacific"} <= zones()


@pytest.mark.parametrize("name", ["Nowhere/City", "../../etc/passwd", ""])
def test_unknown_zone_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="time zone"):
        set_zone(name, tmp_path)
    assert not (tmp_path / "localtime").exists()
