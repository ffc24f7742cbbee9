"""Versions side by side: one rename, one restart, and back when it does not do."""

from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.versions import MARK, Places, Versions, activate, assert_acceptable

# A systemd of a few lines: notes what it is told; units in `up` run, but for a `broken` version.
SYSTEMCTL = """#!/bin/sh
cd {folder}
[ "$1" = --no-ask-password ] && shift
echo "$*" >> told
[ "$1" != "$(cat fails 2>/dev/null)" ] || {{ echo "no $1 today" >&2; exit 1; }}
case "$1" in
  list-units) [ -f up ] && sed 's/$/ loaded active running/' up; exit 0 ;;
  restart)
    rm -f came-up
    [ "$(readlink opt/current)" = "versions/$(cat broken 2>/dev/null)" ] || cp up came-up ;;
  is-active) grep -qFx "$3" came-up ;;
esac
"""


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Versions:
    systemd = tmp_path / "bin"
    systemd.mkdir()
    program = systemd / "systemctl"
    program.write_text(SYSTEMCTL.format(folder=tmp_path))
    program.chmod(0o755)
    (tmp_path / "told").touch()
    (tmp_path / "came-up").touch()
    monkeypatch.setenv("PATH", f"{systemd}:/usr/bin:/bin")
    places = Places(versions=tmp_path / "opt", units=tmp_path / "units", user="")
    for name in ("1", "2"):
        install(places, name)
    return Versions(places)


def install(places: Places, name: str, *, whole: bool = True) -> Path:
    folder = places.versions / "versions" / name
    (folder / "bin").mkdir(parents=True)
    (folder / "share" / "systemd").mkdir(parents=True)
    (folder / "share" / "systemd" / "appliance-agent.service").write_text(f"[Unit] of {name}")
    (folder / "share" / "systemd" / f"appliance-{name}.timer").touch()
    program = folder / "bin" / "appliance"
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {folder}/asked\ncat {folder}/refuses && exit 2\nexit 0\n'
    )
    program.chmod(0o755)
    if whole:
        (folder / MARK).touch()
    return folder


def told(versions: Versions) -> list[str]:
    return (versions.places.versions.parent / "told").read_text().splitlines()


def run_units(versions: Versions, *units: str) -> None:
    (versions.places.versions.parent / "up").write_text("".join(f"{each}\n" for each in units))


def test_a_box_without_a_version_has_none(versions: Versions) -> None:
    assert (versions.current, versions.previous) == ("", "")
    assert versions.whole == ["1", "2"]


def test_a_switch_moves_both_links_and_the_units(versions: Versions) -> None:
    versions.switch("1")
    versions.switch("2")
    assert (versions.current, versions.previous) == ("2", "1")
    units = sorted(each.name for each in versions.places.units.iterdir())
    assert units == ["appliance-2.timer", "appliance-agent.service"]
    assert (versions.places.units / "appliance-agent.service").read_text() == "[Unit] of 2"


def test_units_are_files_of_their_own(versions: Versions) -> None:
    """`systemctl enable` follows a link to its end, which would be in one version for good."""
    versions.switch("1")
    assert not any(each.is_symlink() for each in versions.places.units.iterdir())


def test_switching_to_the_same_version_again_keeps_the_previous(versions: Versions) -> None:
    for name in ("1", "2", "2"):
        versions.switch(name)
    assert (versions.current, versions.previous) == ("2", "1")


def test_a_version_that_is_not_whole_is_refused(versions: Versions) -> None:
    versions.switch("1")
    install(versions.places, "3", whole=False)
    with pytest.raises(ConfigError, match="3 is not installed whole"):
        versions.switch("3")
    assert versions.current == "1"


def test_a_previous_version_that_was_removed_is_none(versions: Versions) -> None:
    versions.switch("1")
    versions.switch("2")
    (versions.folder("1") / MARK).unlink()
    assert versions.previous == ""


def test_nothing_is_restarted_where_nothing_ran(versions: Versions) -> None:
    run_units(versions)
    assert activate(versions, "1") == []
    assert "restart appliance.target" not in told(versions)
    assert "daemon-reload" in told(versions)


def test_what_ran_is_restarted_after_the_switch(versions: Versions) -> None:
    versions.switch("1")
    run_units(versions, "appliance-agent.service", "appliance-line@0.service")
    assert activate(versions, "2") == ["appliance-agent.service", "appliance-line@0.service"]
    assert versions.current == "2"
    assert told(versions)[1:3] == ["daemon-reload", "restart appliance.target"]


def test_a_version_that_does_not_come_up_is_switched_back(versions: Versions) -> None:
    install(versions.places, "0")
    versions.switch("0")
    versions.switch("1")
    run_units(versions, "appliance-agent.service")
    (versions.places.versions.parent / "broken").write_text("2")
    with pytest.raises(ConfigError, match=r"2 does not run .*; 1 runs again"):
        activate(versions, "2")
    assert (versions.current, versions.previous) == ("1", "0")
    assert (versions.places.units / "appliance-agent.service").read_text() == "[Unit] of 1"
    assert told(versions)[-2] == "restart appliance.target"


def test_what_systemd_says_against_it_is_told_and_the_version_before_stays(
    versions: Versions,
) -> None:
    versions.switch("1")
    run_units(versions, "appliance-agent.service")
    (versions.places.versions.parent / "fails").write_text("daemon-reload")
    with pytest.raises(ConfigError, match=r"2 does not run .*no daemon-reload today; nor does 1 "):
        activate(versions, "2")
    assert versions.current == "1"


def test_nothing_is_switched_while_systemd_does_not_answer(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions.switch("1")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match="systemctl"):
        activate(versions, "2")
    assert versions.current == "1"


def test_a_version_is_asked_about_the_box_with_its_own_models(
    versions: Versions, tmp_path: Path
) -> None:
    config = tmp_path / "appliance.toml"
    config.write_text(f'en = "{versions.places.versions}/current/models/en"\n')
    assert_acceptable(versions, "1", config)
    own = tmp_path / ".next.toml"
    assert (versions.folder("1") / "asked").read_text().splitlines() == [
        f"config check {own}",
        f"store status --config {own}",
    ]
    assert not own.exists()


def test_what_a_version_refuses_is_told_in_its_words(versions: Versions, tmp_path: Path) -> None:
    config = tmp_path / "appliance.toml"
    config.touch()
    (versions.folder("1") / "refuses").write_text("store: a newer program has migrated it")
    with pytest.raises(ConfigError, match=r"1 cannot work with this box .* a newer program"):
        assert_acceptable(versions, "1", config)
