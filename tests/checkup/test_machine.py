import os
from datetime import datetime, timedelta
from pathlib import Path

from appliance.checkup.finding import Status, worst
from appliance.checkup.machine import check_clock, check_disk, check_name
from appliance.config import Config, parse_config

NOW = datetime.fromisoformat("2026-11-20T10:00:00-08:00")


def box(tmp_path: Path, **health: int) -> Config:
    record = {"folder": "calls", "store": "appliance.sqlite"}
    return parse_config({"record": record, "health": health}, tmp_path / "a.toml")


def test_room_on_the_disk(tmp_path: Path) -> None:
    free_mb = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize // 1_000_000
    (good,) = check_disk(box(tmp_path, min_free_mb=10))
    assert good.status is Status.OK
    assert "record.folder, record.store, speaking.cache, backup.folder" in good.seen
    (tight,) = check_disk(box(tmp_path, min_free_mb=free_mb // 3))
    assert tight.status is Status.WARN
    (full,) = check_disk(box(tmp_path, min_free_mb=min(1_000_000, free_mb * 2)))
    assert (full.status, "retention" in full.remedy) == (Status.FAIL, True)


def test_clock_that_was_never_set(tmp_path: Path) -> None:
    (found,) = check_clock(box(tmp_path), datetime.fromisoformat("1970-01-01T00:01:00+00:00"))
    assert found.status is Status.FAIL


def test_clock_that_went_back_behind_its_own_records(tmp_path: Path) -> None:
    config = box(tmp_path)
    day = config.record.folder / "2026-11-20"
    day.mkdir(parents=True)
    log = day / "1.events.jsonl"
    log.touch()
    os.utime(log, times=(NOW.timestamp(), NOW.timestamp()))
    assert worst(check_clock(config, NOW)) is Status.OK
    (found,) = check_clock(config, NOW - timedelta(days=2))
    assert (found.status, "went back" in found.seen) == (Status.FAIL, True)


def test_own_name_is_known_without_a_name_server(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 localhost\n127.0.1.1 box.example.net box  # ours\n")
    assert worst(check_name("box", hosts)) is Status.OK
    for written in ("127.0.0.1 localhost\n", "# 127.0.1.1 box\n", "box\n", "127.0.1.1 boxes\n", ""):
        hosts.write_text(written)
        (finding,) = check_name("box", hosts)
        assert finding.status is Status.WARN
        assert "127.0.1.1 box" in finding.remedy
