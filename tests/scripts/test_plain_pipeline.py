"""The parts of the plain pipeline that need no Pipecat; test_bench_pipecat has the whole."""

import asyncio
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest

from appliance.actions.tools import DONE, Result
from appliance.clock import SystemClock
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Action
from appliance.flows.registry import flow_folder
from appliance.flows.shelf import FlowShelf
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.session.playout import LEAD
from appliance.session.textwalk import TextWalk
from appliance.store.accounts import load_accounts
from plain_pipeline.laps import Laps
from plain_pipeline.pace import Pace
from plain_pipeline.talk import Talk
from plain_pipeline.variants import VARIANTS

ROOT = Path(__file__).resolve().parents[2]
CALLER = "+13105550100"


async def write(pace: Pace, frames: int) -> asyncio.Task[None]:
    async def all_of_them() -> None:
        for _ in range(frames):
            await pace.room()

    task = asyncio.create_task(all_of_them())
    await asyncio.sleep(0)
    return task


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_writer_is_never_more_than_the_lead_ahead_of_the_line() -> None:
    async def scenario() -> None:
        pace = Pace()
        writer = await write(pace, LEAD + 2)
        await settle()
        assert not writer.done()
        pace.tick(1)
        await settle()
        assert not writer.done()
        pace.tick(2)
        await asyncio.wait_for(writer, 1)

    asyncio.run(scenario())


def test_dropped_frames_make_room() -> None:
    async def scenario() -> None:
        pace = Pace()
        writer = await write(pace, LEAD + 1)
        pace.dropped()
        await asyncio.wait_for(writer, 1)

    asyncio.run(scenario())


def test_frames_that_the_line_lost_do_not_hold_up_the_writer_for_ever() -> None:
    async def scenario() -> None:
        pace = Pace()
        writer = await write(pace, LEAD + 1)
        for _ in range(9):
            pace.tick(0)
            await settle()
        assert not writer.done()
        pace.tick(0)
        await asyncio.wait_for(writer, 1)

    asyncio.run(scenario())


def test_laps_count_from_the_silence_and_end_with_the_first_sound_after_the_decision() -> None:
    now, reports = [0], list[dict[str, float]]()
    laps = Laps(lambda: now[0], reports.append)
    laps.spoke()  # of the greeting
    now[0] = 1_000_000_000
    laps.quiet()
    for lap, at_ms in (("transcript", 30), ("turn_over", 40), ("decided", 55)):
        now[0] = 1_000_000_000 + at_ms * 1_000_000
        if lap == "decided":
            laps.spoke()  # the end of an earlier prompt answers nothing
        laps.mark(lap)
    now[0] = 1_100_000_000
    laps.spoke()
    laps.spoke()
    assert reports == [{"transcript": 30, "turn_over": 40, "decided": 55, "first_audio": 100}]


def collections_talk() -> tuple[Talk, list[str]]:
    done = list[str]()

    def perform(action: Action, _: CallFlow) -> Result:
        done.append(action.name)
        return Result(DONE)

    accounts = load_accounts(flow_folder("collections") / "accounts.example.yaml")
    flows = FlowShelf("collections").current
    flow = flows.first.bind("call", accounts.find(CALLER), "en", entry={"caller_number": CALLER})
    rules = RuleUnderstander()
    call = TextCall(flow, lambda text, listen: rules.understand(text, Context.of(listen)),
                    SystemClock().now)  # fmt: skip
    return Talk(TextWalk(call, flows, perform, {"caller_number": CALLER})), done


def texts(said: object) -> str:
    return " ".join(prompt.text for prompts in said for prompt in prompts)  # type: ignore[attr-defined]


def test_the_dialogue_is_the_flow_with_its_tools() -> None:
    talk, done = collections_talk()
    assert "Maria" in texts(talk.begins())
    assert "zip" in texts(talk.says("yes this is she"))
    assert talk.hint().digits == 5
    assert texts(talk.presses("9")) == texts(talk.presses("0")) == ""
    for key in "21":
        texts(talk.presses(key))
    assert "debt" in texts(talk.presses("0"))
    assert not talk.over
    assert texts(talk.says("stop calling me"))
    assert talk.over
    assert "mark_do_not_contact" in done
    assert texts(talk.says("hello")) == ""


def test_docs_tell_of_every_variant() -> None:
    page = (ROOT / "docs/comparison.md").read_text()
    for name in VARIANTS:
        assert f"`{name}`" in page


def test_what_is_installed_is_what_is_pinned() -> None:
    site = next(ROOT.glob(".venv-pipecat/lib/python3*/site-packages"), None)
    if site is None:
        pytest.skip("scripts/install pipecat puts it there")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    found = {each.name: each.version for each in distributions(path=[str(site)])}
    assert groups["pipecat"] == [f"pipecat-ai[piper,whisper]=={found['pipecat-ai']}"]
