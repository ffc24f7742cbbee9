"""A source that is a program: dead, slow, lying, noisy or gone. Real processes on real pipes."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from appliance.clock import SystemClock
from appliance.findings import Lookup
from appliance.sections import SourceConfig, SourcesConfig
from appliance.sources.hub import Hub
from appliance.testing.clock import VirtualClock
from tests.sources.rig import ROGUE, eventually, lives, look, pids_in, rogue, running


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("lie", "does not fit its outputSchema: status: enum"),
        ("lie_softly", "does not fit its outputSchema: additionalProperties"),
        ("no_date", "does not fit its outputSchema: on: format"),
        ("plain_text", "the result is a text, and no JSON"),
        ("nothing", "the result holds no JSON"),
        ("nan", "the result is no JSON"),
        ("surrogate", "the result is no JSON"),
        ("deep", "no JSON"),
        ("fails", "the tool reports an error"),
        ("refuses", "the call is refused (MCP error -32601)"),
        ("shapeless", "the answer is no result of a tool"),
        ("outside", "the schema refers to what it does not hold"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_at_once(rogue_hub: Hub, tool: str, said: str) -> None:
    finding = look(rogue_hub, tool)
    assert not finding.ok
    assert finding.data is None
    assert said in finding.error
    assert finding.took_ms < 1000  # and not tried again until the deadline
    assert look(rogue_hub, "echo", text="alive").ok


@pytest.mark.parametrize(
    ("tool", "data"),
    [
        ("json_text", {"status": "good"}),
        ("noise", {"text": "heard"}),
        ("twice", {"text": "first"}),
        ("drip", {"text": "drop by drop"}),
    ],
)
def test_what_is_merely_odd_is_read(rogue_hub: Hub, tool: str, data: object) -> None:
    assert look(rogue_hub, tool).data == data


@pytest.fixture(scope="module")
def rogue_hub() -> object:
    with running(people=rogue()) as hub:
        yield hub


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("die", "was ended by signal 9"),
        ("garbage", "sent a message that cannot be read"),
        ("endless", "more than 512 KiB in one line"),
        ("flood", "wrote more than 1000 lines that are no MCP"),
    ],
)
def test_a_broken_connection_is_made_anew(tmp_path: Path, tool: str, said: str) -> None:
    pids = tmp_path / "pids"
    with capture_logs() as logs, running(people=rogue(pids=pids, deadline_s=4)) as hub:
        finding = look(hub, tool)
        assert "the connection was lost" in finding.error
        assert look(hub, "echo", text="alive").ok
        assert [lives(each) for each in pids_in(pids)] == [False, False, True]  # two tries
    assert any(said in each.get("why", "") for each in logs)
    assert "90210" not in str(logs)


def test_a_call_survives_the_death_of_its_server(tmp_path: Path) -> None:
    config = rogue(environment={"MARK": str(tmp_path / "mark")}, deadline_s=4)
    with running(people=config) as hub:
        assert look(hub, "die_once").data == {"text": "alive"}


def test_a_server_killed_from_outside_is_started_again(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with running(people=rogue(pids=pids, deadline_s=4)) as hub:
        os.kill(pids_in(pids)[0], signal.SIGKILL)
        assert look(hub, "echo", text="again").ok
        assert len(pids_in(pids)) == 2


def test_silence_ends_with_the_deadline_and_hurts_nobody_else() -> None:
    with running(people=rogue()) as hub, ThreadPoolExecutor(8) as threads:
        began = time.monotonic()
        hanging = [threads.submit(look, hub, "hang") for _ in range(3)]
        assert all(look(hub, "echo", text=str(n)).data == {"text": str(n)} for n in range(20))
        assert all("no answer within its deadline" in each.result().error for each in hanging)
        assert 0.9 < time.monotonic() - began < 2


def test_a_slow_server_is_heard_until_the_deadline() -> None:
    with running(people=rogue(deadline_s=1.2)) as hub:
        assert look(hub, "slow", s=0.8).data == {"text": "at last"}  # beyond its first try's share


def test_a_late_reply_is_nobodys_answer() -> None:
    with running(people=rogue(deadline_s=0.3, tries=1, break_after=100)) as hub:
        assert not look(hub, "slow", s=0.4, text="late").ok
        found = [look(hub, "echo", text=f"{n}") for n in range(5)]
        assert all(each.data == {"text": f"{n}"} for n, each in enumerate(found) if each.ok)
        assert found[-1].ok


def test_noise_in_place_of_an_answer_is_named() -> None:
    with running(people=rogue(tries=1, deadline_s=0.4)) as hub:
        assert "wrote 1 lines on its stdout that are no MCP" in look(hub, "noise_only").error


def test_an_answer_to_another_question_is_none() -> None:
    with running(people=rogue(tries=1, deadline_s=0.4)) as hub:
        assert "no answer within its deadline" in look(hub, "wrong_id").error


def test_chatter_before_and_beside_the_protocol_does_no_harm() -> None:
    with running(people=rogue("--chatty")) as hub:
        assert look(hub, "echo", text="x").ok


def test_a_program_that_does_not_exist_stops_nobody_else() -> None:
    gone = SourceConfig(command=("/nonexistent/people",))
    with running(gone=gone, people=rogue("--tool=echo")) as hub:
        assert look(hub, "echo", text="x").ok
        assert look(hub, "other").error == "no source has the tool other; not reached: gone"
        status = hub.status()["gone"]
    assert status.state == "down"
    assert status.why == "/nonexistent/people is no program that can be started"
    assert "correct command" in status.remedy


def test_a_program_that_ends_at_once_is_quoted() -> None:
    broken = SourceConfig(command=("sh", "-c", "echo API_KEY is missing >&2; exit 3"))
    with running(broken=broken) as hub:
        status = hub.status()["broken"]
    assert status.why == 'the program ended with exit code 3: "API_KEY is missing"'


def test_a_program_that_never_gets_ready() -> None:
    with running(people=rogue("--silent", start_s=0.5)) as hub:
        assert hub.status()["people"].why == "not ready within 0.5 s"


def test_an_old_server_that_waits_for_the_old_handshake() -> None:
    with running(people=rogue("--old", start_s=0.5, deadline_s=3)) as hub:
        eventually(lambda: hub.status()["people"].state == "up")
        assert look(hub, "echo", text="x").ok


def test_tools_that_changed_are_learned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.sources.server.RELIST_S", 0)
    mark = tmp_path / "mark"
    with running(people=rogue(environment={"MARK": str(mark)})) as hub:
        assert "status: enum" in look(hub, "shifting").error
        mark.touch()
        eventually(lambda: look(hub, "shifting").ok)


def test_a_program_that_speaks_something_else() -> None:
    other = SourceConfig(command=("sh", "-c", "while read x; do echo '{\"jsonrpc\": 1}'; done"))
    with running(other=other) as hub:
        assert "sent a message that cannot be read" in hub.status()["other"].why


def test_a_server_that_comes_back_later_is_found(tmp_path: Path) -> None:
    key = tmp_path / "ready"
    command = (
        "sh",
        "-c",
        f'test -e {key} && exec {sys.executable} -S -E "$0" || exit 1',
        str(ROGUE),
    )
    config = SourceConfig(command=command, deadline_s=3)
    with running(people=config) as hub:
        assert hub.status()["people"].state == "down"
        assert not look(hub, "echo", text="x").ok
        key.touch()
        eventually(lambda: hub.status()["people"].state == "up")
        assert look(hub, "echo", text="x").ok


def test_what_is_down_for_long_is_told_at_once(tmp_path: Path) -> None:
    with running(gone=SourceConfig(command=("false",), tools=("echo",), deadline_s=0.3)) as hub:
        time.sleep(0.9)  # its pauses are longer than the deadline by now
        began = time.monotonic()
        error = look(hub, "echo", text="x").error
        assert time.monotonic() - began < 0.8
    assert "gone: not reached: the program ended with exit code 1" in error


def test_the_breaker_opens_and_closes() -> None:
    clock = VirtualClock()
    config = rogue(deadline_s=0.3, tries=1, break_after=3, break_s=30)
    with running(clock, people=config) as hub:
        for _ in range(3):
            assert "no answer within its deadline" in look(hub, "hang").error
        assert hub.status()["people"].state == "left alone"
        began = time.monotonic()
        assert "left alone after 3 failures in a row" in look(hub, "echo", text="x").error
        assert time.monotonic() - began < 0.2
        clock.advance(31_000)
        eventually(lambda: hub.status()["people"].state == "up")
        assert look(hub, "echo", text="x").ok  # the probe
        assert look(hub, "echo", text="x").ok


def test_a_bad_probe_leaves_it_alone_again() -> None:
    clock = VirtualClock()
    config = rogue(deadline_s=0.3, tries=1, break_after=1, break_s=30)
    with running(clock, people=config) as hub:
        look(hub, "hang")
        clock.advance(31_000)
        eventually(lambda: hub.status()["people"].state == "up")
        assert "no answer" in look(hub, "hang").error
        assert "left alone" in look(hub, "echo", text="x").error


def test_errors_of_tools_open_no_breaker() -> None:
    with running(people=rogue(break_after=1)) as hub:
        for tool in ("fails", "lie", "refuses", "plain_text", "unheard_of"):
            assert not look(hub, tool).ok
        assert hub.status()["people"].state == "up"


def test_many_calls_at_once_while_the_server_dies_again_and_again(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    config = rogue(pids=pids, deadline_s=5, tries=5, break_after=100)
    with running(people=config) as hub, ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(look, hub, "echo", text=str(n)) for n in range(40)]
        asked += [threads.submit(look, hub, "slow", s=0.1, text=str(n)) for n in range(5)]
        for _ in range(2):
            eventually(lambda: hub.status()["people"].state == "up")
            os.kill(pids_in(pids)[-1], signal.SIGKILL)
            time.sleep(0.2)
        found = [each.result() for each in asked]
        assert all(each.data["text"] == str(n) for n, each in enumerate(found[:40]) if each.ok)
        assert sum(each.ok for each in found) >= 40
    assert not any(map(lives, pids_in(pids)))


@pytest.mark.parametrize("tricks", [(), ("--stubborn",)])
def test_a_killed_box_leaves_no_process(tmp_path: Path, tricks: tuple[str, ...]) -> None:
    pids = tmp_path / "pids"
    program = f"""
import time
from pathlib import Path
from tests.sources.rig import look, rogue, running
with running(people=rogue(*{tricks!r}, pids=Path({str(pids)!r}))) as hub:
    assert look(hub, "echo", text="x").ok
    print("up", flush=True)
    time.sleep(60)
"""
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, text=True
    ) as box:
        assert box.stdout is not None
        assert "up\n" in iter(box.stdout.readline, "")
        box.kill()
    eventually(lambda: not any(map(lives, pids_in(pids))), within_s=5)
    assert pids_in(pids)


def test_closing_while_everything_hangs() -> None:
    servers = {f"s{n}": rogue("--stubborn", deadline_s=60) for n in range(4)}
    hub = Hub(SourcesConfig(mcp=servers), SystemClock())
    hub.start()
    hub.settle(20)
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(hub.look_up, [Lookup("hang")]) for _ in range(4)]
        time.sleep(0.2)
        began = time.monotonic()
        hub.close()
        assert time.monotonic() - began < 2
        assert not any(each.result()["hang"].ok for each in waiting)
