import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from appliance.clock import SystemClock
from appliance.findings import Lookup
from appliance.sections import SourcesConfig
from appliance.sources.hub import Hub
from tests.sources.rig import descriptors, eventually, lives, look, pids_in, rogue, running


def test_looks_up() -> None:
    with running(people=rogue()) as hub:
        found = look(hub, "echo", text="José")
    assert found.ok
    assert found.data == {"text": "José"}
    assert found.server == "people"
    assert found.at.tzinfo is not None
    assert found.took_ms > 0


def test_all_lookups_are_under_way_at_once() -> None:
    silent, mute = rogue("--tool=hang"), rogue("--tool=wrong_id")
    with running(a=silent, b=mute, c=rogue("--tool=echo")) as hub:
        began = time.monotonic()
        found = hub.look_up([Lookup("hang"), Lookup("wrong_id"), Lookup("echo", {"text": "x"})])
        took_s = time.monotonic() - began
    assert [found[each].ok for each in ("hang", "wrong_id", "echo")] == [False, False, True]
    assert 0.9 < took_s < 1.9  # one deadline, and not two


def test_calls_from_many_threads_get_their_own_answers() -> None:
    with running(people=rogue()) as hub, ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda n: look(hub, "echo", text=str(n)), range(200)))
    assert [each.data["text"] for each in found] == [str(n) for n in range(200)]


def test_a_tool_that_nobody_has() -> None:
    with running(people=rogue("--tool=echo")) as hub:
        assert look(hub, "unheard_of").error == "no source has the tool unheard_of"


def test_no_source_at_all() -> None:
    with running() as hub:
        assert look(hub, "echo").error == "no source has the tool echo"
        assert hub.status() == {}
        assert hub.look_up([]) == {}


def test_arguments_are_checked_before_anything_is_sent() -> None:
    with running(people=rogue()) as hub:
        assert "inputSchema: text missing" in look(hub, "echo").error
        assert "inputSchema: text: type" in look(hub, "echo", text=90210).error
        assert look(hub, "count").data == {"calls": 1}


def test_only_configured_tools_are_used() -> None:
    with running(people=rogue(tools=("echo",))) as hub:
        assert look(hub, "echo", text="x").ok
        assert look(hub, "count").error == "no source has the tool count"
        assert [each.name for each in hub.status()["people"].tools] == ["echo"]


def test_a_configured_tool_that_is_not_there_is_told() -> None:
    with running(people=rogue(tools=("echo", "unheard_of"))) as hub:
        assert hub.status()["people"].missing == ("unheard_of",)
        assert "has no tool unheard_of" in look(hub, "unheard_of").error


def test_the_first_configured_server_wins_with_a_warning() -> None:
    servers = {"a": rogue("--tool=count"), "b": rogue("--tool=count", "--tool=echo")}
    with capture_logs() as logs, running(**servers) as hub:
        assert {look(hub, "count").server for _ in range(3)} == {"a"}
        assert look(hub, "echo", text="x").server == "b"
    warnings = [each for each in logs if "two sources have a tool" in each["event"]]
    assert [(each["asked"], each["other"]) for each in warnings] == [("a", "b")]


def test_tools_with_a_schema_that_is_none_are_left_out() -> None:
    with capture_logs() as logs, running(people=rogue()) as hub:
        assert look(hub, "echo", text="x").ok
        assert hub.tool("bad_schema") is None
    assert any("outputSchema of bad_schema" in each.get("why", "") for each in logs)


def test_a_lookup_at_start_waits_for_its_server() -> None:
    hub = Hub(SourcesConfig(mcp={"people": rogue()}), SystemClock())
    assert not look(hub, "echo", text="too early").ok
    hub.start()
    try:
        assert look(hub, "echo", text="x").ok
    finally:
        hub.close()


def test_starting_waits_for_no_server() -> None:
    hub = Hub(SourcesConfig(mcp={"people": rogue("--silent")}), SystemClock())
    began = time.monotonic()
    hub.start()
    took_s = time.monotonic() - began
    assert hub.status()["people"].state == "starting"
    hub.close()
    assert took_s < 0.5


def test_after_closing_lookups_fail_at_once(tmp_path: Path) -> None:
    with running(people=rogue()) as hub:
        pass
    began = time.monotonic()
    assert "closed" in look(hub, "echo", text="x").error
    assert time.monotonic() - began < 0.5
    hub.close()


def test_closing_does_not_wait_for_what_is_looked_up() -> None:
    with running(people=rogue(deadline_s=60)) as hub, ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(look, hub, "hang")
        eventually(lambda: threading.active_count() > 2)
        time.sleep(0.1)
        began = time.monotonic()
        hub.close()
        assert not waiting.result(timeout=5).ok
        assert time.monotonic() - began < 2


@pytest.mark.parametrize("tricks", [(), ("--stubborn",), ("--child",), ("--silent",)])
def test_closing_leaves_no_process(tmp_path: Path, tricks: tuple[str, ...]) -> None:
    pids = tmp_path / "pids"
    hub = Hub(SourcesConfig(mcp={"people": rogue(*tricks, pids=pids)}), SystemClock())
    hub.start()
    if "--silent" in tricks:
        time.sleep(0.3)
    else:
        hub.settle(10)
        assert pids_in(pids)
        assert all(map(lives, pids_in(pids)))
    began = time.monotonic()
    hub.close()
    assert time.monotonic() - began < 2
    assert not any(map(lives, pids_in(pids)))


def test_nothing_is_kept_open() -> None:
    with running(people=rogue()):
        pass
    gc.collect()  # what other tests have left open
    before, threads = descriptors(), threading.active_count()
    for _ in range(3):
        with running(people=rogue()) as hub:
            look(hub, "echo", text="x")
    assert descriptors() <= before
    assert threading.active_count() == threads
