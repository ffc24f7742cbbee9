"""What the agent tells of itself, its lines and its box."""

import asyncio
import math
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.clock import SystemClock
from appliance.config import Config, RegistrarConfig
from appliance.errors import StoreError
from appliance.health.health import Health
from appliance.session.admission import Admission
from appliance.session.premises import Premises
from appliance.session.vitals import Vitals
from appliance.store.archives import archive_name
from appliance.store.database import Database
from appliance.store.outbox import Notice, Outbox, enqueue
from appliance.stt.load import Load
from appliance.telephony.messages import Alive, Registration
from appliance.testing.clock import VirtualClock


@pytest.fixture
def config(tmp_path: Path) -> Config:
    config = Config()
    return config.model_copy(
        update={
            "record": config.record.model_copy(
                update={"folder": tmp_path / "calls", "store": tmp_path / "x.sqlite"}
            ),
            "backup": config.backup.model_copy(update={"folder": tmp_path / "backups"}),
        }
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    yield database
    database.close()


class Rig:
    """Vitals with the parts that they look at; lines and services are as the test says."""

    def __init__(self, config: Config, database: Database) -> None:
        self.load = Load(workers=2, sla_ms=200)
        self.clock, self.health = VirtualClock(), Health()
        self.services: Any = SimpleNamespace(
            database=database, clock=self.clock, scheduler=SimpleNamespace(load=self.load),
            actions=SimpleNamespace(behind=False), wrap_ups=SimpleNamespace(behind=False),
            voices=SimpleNamespace(ready=70, rendered=3),
        )  # fmt: skip
        self.vitals = Vitals(config, self.services, Admission(self.load, 200, 2), self.health)
        self.switch: Any = SimpleNamespace(
            lines=[SimpleNamespace(pid=pid, statistics=None, dropped_frames=0) for pid in (10, 11)],
            open_calls=1, registration=None,
        )  # fmt: skip

    def looks(self) -> list[str]:
        """The reasons why no calls are taken, after another look."""
        self.vitals.look(self.switch)
        return list(self.health.readiness.reasons)

    def value(self, name: str, /, **labels: str) -> float | None:
        return self.health.registry.get_sample_value(f"appliance_{name}", labels)


@pytest.fixture
def rig(config: Config, database: Database) -> Rig:
    return Rig(config, database)


def test_ready_is_when_all_is_loaded(rig: Rig) -> None:
    assert rig.looks() == ["loading"]
    rig.vitals.ready(rig.switch)
    assert rig.looks() == []
    assert rig.value("ready") == 1
    assert rig.value("model_loaded", kind="recognizer", language="en", name="en") == 1
    assert rig.value("prompts_ready") == 70


def test_no_line_takes_no_calls_and_one_of_two_does(rig: Rig) -> None:
    rig.vitals.ready(rig.switch)
    rig.switch.lines[0].pid = 0
    assert rig.looks() == []
    assert (rig.value("lines"), rig.value("lines_up")) == (2, 1)
    rig.switch.lines[1].pid = 0
    assert rig.looks() == ["no_line"]


def test_registration_matters_where_there_is_a_registrar(
    config: Config, database: Database
) -> None:
    registrar = RegistrarConfig(server="sip:192.0.2.1", user="200", password_file=Path("x"))
    line = config.line.model_copy(update={"registrar": registrar})
    rig = Rig(config.model_copy(update={"line": line}), database)
    rig.vitals.ready(rig.switch)
    assert rig.looks() == ["not_registered"]
    rig.switch.registration = Registration(403, "Forbidden", 0)
    assert rig.looks() == ["not_registered"]
    assert rig.health.readiness.reasons["not_registered"] == "the PBX answered 403"
    rig.switch.registration = Registration(200, "OK", 0)  # no longer
    assert rig.looks() == ["not_registered"]
    rig.switch.registration = Registration(200, "OK", 300)
    assert rig.looks() == []
    assert (rig.value("registered"), rig.value("registration_code")) == (1, 200)


def test_counters_of_lines_go_on_when_a_line_counts_anew(rig: Rig) -> None:
    rig.switch.lines[1].dropped_frames = 100
    for dropped in (0, 5, 7, 2, 3):  # 2: a line that was started again
        rig.switch.lines[0].dropped_frames = dropped
        rig.looks()
    assert rig.value("frames_dropped_total") == 7 + 3 + 100


def test_calls_that_lines_refuse_are_counted_line_by_line(rig: Rig) -> None:
    """Also those of before this agent, and none twice when one line begins anew."""
    for first, second in (((3, 1), (5, 2)), ((4, 1), (5, 2)), ((0, 1), (5, 4))):
        for line, (full, closed) in zip(rig.switch.lines, (first, second), strict=True):
            line.statistics = Alive(0, 7, 0, full, closed)
        rig.looks()
    assert rig.value("calls_refused_total", reason="full") == 4 + 5
    assert rig.value("calls_refused_total", reason="closed") == 1 + 4
    assert rig.value("requests_dropped_total") == 7 + 7


def test_a_line_that_died_and_came_again_is_counted_once(rig: Rig) -> None:
    for pid in (10, 0, 0, 20, 20, 0, 21):
        rig.switch.lines[0].pid = pid
        rig.looks()
    assert rig.value("line_restarts_total") == 2


def test_decodes_that_hang_are_a_broken_model(rig: Rig) -> None:
    rig.vitals.ready(rig.switch)
    rig.load.hang(1)
    assert rig.looks() == []
    rig.load.hang(2)
    assert rig.looks() == ["model_broken"]
    assert rig.health.readiness.reasons["model_broken"] == "decodes hang"
    assert rig.value("decodes_hanging") == 2
    rig.load.hang(0)
    assert rig.looks() == []
    for _ in range(3):
        rig.health.engines.failed("tts")
    assert rig.looks() == ["model_broken"]


def test_what_waits_to_be_stored_is_seen(rig: Rig) -> None:
    rig.services.wrap_ups.behind = True
    rig.looks()
    assert rig.value("unsaved") == 1


def test_the_loop_beats_while_it_runs(rig: Rig) -> None:
    async def some_looks() -> None:
        task = asyncio.create_task(rig.vitals.run(rig.switch))
        while rig.value("measured_timestamp_seconds") == 0:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(some_looks())
    assert rig.health.pulse.turns
    assert rig.value("lines_up") == 2


class Box:
    """Premises of a box, measured when the test says so."""

    def __init__(self, config: Config, database: Database) -> None:
        self.health, self.clock = Health(), SystemClock()
        self.health.readiness.release("loading")
        self.premises = Premises(config, database, self.clock, self.health)

    def value(self, name: str, /, **labels: str) -> float:
        value = self.health.registry.get_sample_value(f"appliance_{name}", labels)
        assert value is not None, name
        return value


@pytest.fixture
def box(config: Config, database: Database) -> Box:
    return Box(config, database)


def test_disks_are_measured_before_their_folders_are_there(box: Box, tmp_path: Path) -> None:
    box.premises.measure()
    found = os.statvfs(tmp_path)
    for place in ("records", "store", "backups"):
        assert box.value("disk_size_bytes", place=place) == found.f_blocks * found.f_frsize
        assert 0 < box.value("disk_free_bytes", place=place) <= found.f_blocks * found.f_frsize
    assert box.value("store_bytes") > 0
    assert box.value("measured_timestamp_seconds") > 0
    assert box.value("measuring_failed_total") == 0


def test_a_full_disk_takes_no_calls(config: Config, database: Database, tmp_path: Path) -> None:
    found = os.statvfs(tmp_path)
    more_mb = found.f_bavail * found.f_frsize // (1 << 20) * 2
    health = config.health.model_copy(update={"min_free_mb": more_mb})
    box = Box(config.model_copy(update={"health": health}), database)
    box.premises.measure()
    assert list(box.health.readiness.reasons) == ["disk_full"]
    assert "MiB are free for the" in box.health.readiness.reasons["disk_full"]


def test_the_outbox_by_standing_and_the_oldest(box: Box, database: Database) -> None:
    outbox, now = Outbox(database), box.clock.now()
    with database.writing() as session:
        for number, minutes in enumerate((90, 10, 5)):
            at = now - timedelta(minutes=minutes)
            enqueue(session, Notice(f"n{number}", "callback", "call-1", at, {}), ["email"])
        enqueue(session, Notice("kept", "callback", "call-1", now, {}), [])
    box.premises.measure()
    assert box.value("outbox_notifications", standing="waiting") == 3
    assert box.value("outbox_notifications", standing="kept") == 1
    assert box.value("outbox_oldest_seconds") == pytest.approx(5400, abs=60)
    oldest = outbox.lease("email", now, 60)
    assert oldest is not None
    outbox.given_up(oldest, now, "too old")
    box.premises.measure()
    assert box.value("outbox_notifications", standing="waiting") == 2
    assert box.value("outbox_notifications", standing="given_up") == 1
    assert box.value("outbox_oldest_seconds") == pytest.approx(600, abs=60)


def test_the_age_of_the_newest_backup(box: Box, tmp_path: Path) -> None:
    box.premises.measure()
    assert math.isinf(box.value("backup_age_seconds"))
    folder = tmp_path / "backups"
    folder.mkdir()
    for hours in (50, 2):
        at = box.clock.now() - timedelta(hours=hours)
        (folder / archive_name(at, before_migration=False)).touch()
    (folder / "appliance-half.tar.gz.part").touch()
    (folder / archive_name(box.clock.now(), before_migration=True)).touch()  # no calls are in it
    box.premises.measure()
    assert box.value("backup_age_seconds") == pytest.approx(7200, abs=60)


def test_what_cannot_be_measured_leaves_the_rest_alone(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Outbox) -> dict[Any, int]:
        raise StoreError("store: disk I/O error")

    monkeypatch.setattr(Outbox, "counts", broken)
    box.premises.measure()
    box.premises.measure()
    assert box.value("measuring_failed_total") == 2
    assert box.value("disk_size_bytes", place="records") > 0
    assert math.isinf(box.value("backup_age_seconds"))
