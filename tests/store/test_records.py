import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.errors import StoreError
from appliance.store.events import EventLog, read_events
from appliance.store.records import build_record, record_path, recover_records, write_record

START = datetime(2026, 1, 2, tzinfo=UTC)


def test_events_round_trip(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "abc", START)
    log.write("call", 0, call="abc", flow="collections")
    log.write("end", 1234.56, outcome="ptp_set", by="appliance")
    log.close()
    assert log.path == tmp_path / "2026-01-02" / "abc.events.jsonl"
    assert read_events(log.path) == [
        {"t": "call", "ms": 0, "call": "abc", "flow": "collections"},
        {"t": "end", "ms": 1234.6, "outcome": "ptp_set", "by": "appliance"},
    ]


def test_truncated_last_line_is_left_out(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "abc", START)
    log.write("call", 0)
    log.write("end", 1)
    log.close()
    whole = log.path.read_bytes()
    for cut in range(len(whole)):
        log.path.write_bytes(whole[:cut])
        assert len(read_events(log.path)) == whole[:cut].count(b"\n")


def test_garbage_in_the_middle_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.events.jsonl"
    path.write_bytes(b'{"t": "call", "ms": 0}\n{"t": \n{"t": "end", "ms": 1}\n')
    with pytest.raises(StoreError, match="line 2 is not JSON"):
        read_events(path)


@pytest.mark.parametrize("line", ["[]", "7", "null", "{}", '{"t": "call"}'])
def test_json_that_is_no_event_is_an_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.events.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(StoreError, match="line 1 is not an event"):
        read_events(path)


def test_damaged_log_does_not_keep_others_from_being_recovered(tmp_path: Path) -> None:
    for key in ("a", "b"):
        log = EventLog(tmp_path, key, START)
        log.write("call", 0, call=key)
        log.close()
    (tmp_path / "2026-01-02" / "a.events.jsonl").write_text("garbage\n")
    assert [path.name for path in recover_records(tmp_path)] == ["b.record.json"]


def test_record_that_something_else_comes_before_is_left_to_it(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "abc", START)
    log.write("call", 0, call="abc", flow="desk", wrap_up=["card"])
    log.write("handover", 1, flow="next", wrap_up=["card", "summary"])
    log.close()
    given = []
    assert recover_records(tmp_path, lambda *given_: bool(given.append(given_))) == []
    ((record, path),) = given
    assert record["wrap_up"] == ["card", "summary"]
    assert (path, record_path(path).exists()) == (log.path, False)


def test_full_disk_keeps_lines_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = EventLog(tmp_path, "abc", START)
    real_write = os.write

    def no_space(_file: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", no_space)
    log.write("call", 0)
    log.write("heard", 1)
    monkeypatch.setattr(os, "write", real_write)
    log.write("end", 2)
    log.close()
    assert [event["t"] for event in read_events(log.path)] == ["call", "heard", "end"]


def test_log_that_a_full_disk_refused_to_close_can_be_closed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = EventLog(tmp_path, "abc", START)
    real_write = os.write

    def no_space(_file: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", no_space)
    log.write("end", 2)
    with pytest.raises(StoreError, match="No space"):
        log.close()
    monkeypatch.setattr(os, "write", real_write)
    log.close()
    log.close()  # does nothing
    assert [event["t"] for event in read_events(log.path)] == ["end"]


def test_short_writes_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = EventLog(tmp_path, "abc", START)
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real_write(file, data[:7]))
    for number in range(5):
        log.write("heard", number)
    log.close()
    assert [event["ms"] for event in read_events(log.path)] == [0, 1, 2, 3, 4]


_KILLED = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from appliance.store.events import EventLog
log = EventLog(Path(sys.argv[1]), "abc", datetime(2026, 1, 2, tzinfo=UTC))
log.write("call", 0, call="abc")
print("ready", flush=True)
number = 0
while True:
    number += 1
    log.write("heard", number, text="x" * 200)
"""


def test_killed_process_leaves_a_readable_log_and_a_record(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path)], stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        while (tmp_path / "2026-01-02" / "abc.events.jsonl").stat().st_size < 50_000:
            pass
        process.send_signal(signal.SIGKILL)
    (path,) = recover_records(tmp_path)
    record = json.loads(path.read_text())
    assert record["outcome"] == "interrupted"
    assert record["call"] == "abc"
    assert len(record["dialogue"]) > 100
    assert recover_records(tmp_path) == []


def test_record_of_a_call() -> None:
    record = build_record(
        [
            {"t": "call", "ms": 0, "call": "abc", "flow": "collections"},
            {"t": "said", "ms": 900, "prompt": "greeting", "heard_ms": 880, "total_ms": 880},
            {"t": "heard", "ms": 1500, "text": "yes", "intent": "affirmation"},
            {"t": "turn", "ms": 1510, "turn": 1, "decision_ms": 12.0},
            {"t": "action", "ms": 1520, "name": "end_call"},
            {"t": "end", "ms": 2000, "outcome": "user_ended", "by": "peer"},
        ]
    )
    assert record["outcome"] == "user_ended"
    assert record["ended_by"] == "peer"
    assert record["duration_ms"] == 2000
    assert [line["who"] for line in record["dialogue"]] == ["appliance", "caller"]
    assert record["actions"] == [{"ms": 1520, "name": "end_call"}]


def test_action_that_a_crash_cut_off_is_in_the_record() -> None:
    record = build_record(
        [
            {"t": "begun", "ms": 10, "name": "book_service", "key": "c:1:book_service"},
            {"t": "action", "ms": 20, "name": "book_service", "key": "c:1:book_service",
             "outcome": "booked"},
            {"t": "begun", "ms": 30, "name": "tell", "key": "c:2:tell"},
        ]
    )  # fmt: skip
    outcomes = [(each["name"], each["outcome"]) for each in record["actions"]]
    assert outcomes == [("book_service", "booked"), ("tell", "interrupted")]


def test_record_that_a_crash_left_half_written_is_swept(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "abc", START)
    log.close()
    record = record_path(log.path)
    half = record.with_name(f"{record.name}.4711.part")
    half.write_text('{"version"')
    recover_records(tmp_path)
    assert [path.name for path in log.path.parent.iterdir() if path != log.path] == [record.name]


def test_record_is_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = EventLog(tmp_path, "abc", START)
    log.write("call", 0, call="abc")
    log.close()

    def no_space(_file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(StoreError, match="No space left"):
            write_record(log.path)
    assert [path.name for path in log.path.parent.iterdir()] == ["abc.events.jsonl"]
    assert write_record(log.path) == record_path(log.path)
