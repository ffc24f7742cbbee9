"""What systemctl is told to do. The units themselves are started by the proof of the air gap."""

from pathlib import Path

import pytest

from appliance.checkup import applying
from appliance.checkup.applying import (
    at_next_start,
    read_applied,
    steps,
    wanted_units,
    write_drop_ins,
)
from appliance.checkup.units import AGENT, EDGE, MEDIA, TARGET, TIMERS, Unit, line_unit
from appliance.config import Config, parse_config
from appliance.errors import ConfigError

LINES = (line_unit(0), line_unit(1))
WANTED = {**dict.fromkeys(LINES, "1"), AGENT: "1"}


def unit(name: str, *, there: bool = True, up: bool = True) -> Unit:
    return Unit(name, there, up, "active" if up else "inactive", up, 0)


def known(**changed: Unit) -> dict[str, Unit]:
    up = {name: unit(name) for name in (*LINES, AGENT, TARGET, *TIMERS)}
    down = {name: unit(name, up=False) for name in (EDGE, MEDIA)}
    return up | down | {each.name: each for each in changed.values()}


def planned(units: dict[str, Unit], applied: dict[str, str], wanted: dict[str, str] = WANTED,
            extra: tuple[Unit, ...] = ()) -> list[str]:  # fmt: skip
    return [str(each) for each in steps(wanted, units, extra, applied)]


def test_nothing_is_done_where_all_runs_as_configured() -> None:
    assert planned(known(), WANTED) == []


def test_first_start_enables_and_starts_all() -> None:
    down = {name: unit(name, up=False) for name in known()}
    enable, start = planned(down, {})
    assert enable.startswith("systemctl enable appliance-line@0.service")
    assert TARGET in enable
    assert start.split()[1:3] == ["start", TARGET]
    assert all(name in start for name in (*WANTED, *TIMERS))


def test_new_flow_restarts_the_agent_and_leaves_the_lines_registered() -> None:
    restart, start = planned(known(), WANTED | {AGENT: "0"})
    assert restart == f"systemctl restart {AGENT}"
    assert start.startswith("systemctl start")


def test_calls_end_before_their_line_is_restarted() -> None:
    plan = planned(known(), {})
    assert plan[0] == f"systemctl stop {AGENT}"
    assert plan[1] == f"systemctl restart {' '.join(LINES)}"
    assert plan[2].startswith("systemctl start")
    assert plan[2].endswith(AGENT)


def test_lines_that_nobody_wants_go_after_their_calls() -> None:
    extra = unit(line_unit(5))
    plan = planned(known(), WANTED, extra=(extra,))
    assert plan[:2] == [f"systemctl stop {AGENT}", f"systemctl disable --now {extra.name}"]


def test_without_a_restart_nothing_that_runs_is_stopped() -> None:
    plan = steps(WANTED, known(), [unit(line_unit(5))], {})
    assert [str(each) for each in at_next_start(plan)] == [f"systemctl disable {line_unit(5)}"]


def test_edge_comes_and_goes() -> None:
    with_edge = {EDGE: "1", MEDIA: "1", **WANTED}
    plan = planned(known(), WANTED, with_edge)
    assert plan[0] == f"systemctl enable {EDGE} {MEDIA}"
    gone = planned(known(edge=unit(EDGE), media=unit(MEDIA)), WANTED)
    assert f"systemctl disable --now {EDGE} {MEDIA}" in gone


def test_unit_that_is_not_installed_is_named() -> None:
    with pytest.raises(ConfigError, match=f"{AGENT}: not installed"):
        planned(known(agent=unit(AGENT, there=False, up=False)), {})


def box(tmp_path: Path, **sections: object) -> Config:
    return parse_config({"line": {"processes": 2}, **sections}, tmp_path / "a.toml")


def test_digest_of_a_unit_covers_what_it_runs_by_and_no_more(tmp_path: Path) -> None:
    before = wanted_units(box(tmp_path))
    assert set(before) == {*LINES, AGENT}
    flow = wanted_units(box(tmp_path, call={"flow": "booking"}))
    assert {name for name in before if before[name] != flow[name]} == {AGENT}
    registrar = {"server": "sip:192.0.2.1", "user": "200", "password_file": "pw"}
    registered = box(tmp_path, line={"processes": 2, "registrar": registrar})
    first = wanted_units(registered)
    (tmp_path / "pw").write_text("new")
    second = wanted_units(registered)
    assert {name for name in first if first[name] != second[name]} == {LINES[0]}


def test_digest_covers_every_drop_in_of_a_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that is given by name may move: then the agent's filter is another one."""
    config, found = box(tmp_path), []
    for address in ("192.0.2.1", "192.0.2.2"):
        texts = {
            Path(f"{AGENT}.d/peers.conf"): f"IPAddressAllow={address}",
            Path(f"{AGENT}.d/drain.conf"): "TimeoutStopSec=90",
        }
        monkeypatch.setattr(applying, "drop_ins", lambda _, texts=texts: texts)
        found.append(wanted_units(config))
    assert {name for name in found[0] if found[0][name] != found[1][name]} == {AGENT}


def test_drop_ins_of_ours_are_written_and_removed_and_others_stay(tmp_path: Path) -> None:
    text = "# Written by `appliance apply`.\n[Service]\n"
    ours = Path("appliance-agent.service.d/peers.conf")
    foreign = tmp_path / "appliance-agent.service.d" / "theirs.conf"
    assert write_drop_ins({ours: text}, tmp_path)
    foreign.write_text("[Service]\n")
    assert not write_drop_ins({ours: text}, tmp_path)
    assert write_drop_ins({}, tmp_path)
    assert not (tmp_path / ours).exists()
    assert foreign.exists()


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": "1"}'])
def test_note_of_what_runs_may_be_damaged(tmp_path: Path, text: str) -> None:
    note = tmp_path / "note.json"
    assert read_applied(note) == {}
    note.write_text(text)
    assert read_applied(note) == ({"a": "1"} if "a" in text else {})


def test_note_of_what_runs_is_for_root_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password goes into a digest there: who knows all else could guess it."""
    note = tmp_path / "applied.json"
    monkeypatch.setattr(applying, "APPLIED", note)
    monkeypatch.setattr(applying, "DROP_INS", tmp_path)
    monkeypatch.setattr(applying.units, "has_systemd", lambda: True)
    monkeypatch.setattr(applying.units, "lines_enabled", list)
    monkeypatch.setattr(applying.units, "read_unit", unit)
    monkeypatch.setattr(applying.units, "act", lambda *_: None)
    applying.apply(box(tmp_path), lambda _: None)
    assert note.stat().st_mode & 0o077 == 0
