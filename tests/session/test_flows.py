"""Flows in a running box: handing a call over, and taking a changed flow into use."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from appliance.actions.tools import Result
from appliance.config import CallConfig
from appliance.dialogue.declarations import ToolCall
from appliance.dialogue.schema import ActionState
from appliance.dialogue.turn import Action
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder
from appliance.flows.shelf import FlowShelf
from appliance.session import reload as reload_module
from appliance.session.metered import Apart
from appliance.session.readiness import wanted_of
from appliance.session.reload import Reloader
from appliance.store.accounts import AccountBook
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache

from .conftest import ACCOUNT, Place

FIRST = """\
flow: first
version: 1
start: hello
automation: machine
outcomes: [left, passed_on]
facts: {caller_number: phone, day: date}
entry: {caller_number: required}
notes: {pass: {to: second, facts: [caller_number]}}
universal: {robot_question: {say: machine}}
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: left}
  hung_up: {goto: left}
out_of_turns: {goto: left}
states:
  hello:
    kind: decision
    phase: one
    ask: hello
    listen: {no_input_ms: 1500}
    on: {affirmation: {goto: over}}
  over: {kind: terminal, outcome: passed_on, say: one_moment,
         handover: {flow: ../second, note: pass}}
  left: {kind: terminal, outcome: left}
"""
SECOND = """\
flow: second
version: 1
start: hello
automation: machine
outcomes: [left, told]
facts: {caller_number: phone}
entry: {caller_number: required}
variables: {caller_number: {type: phone, source: fact}}
tools: {tell: {timeout_s: 0.05}}
universal: {robot_question: {say: machine}}
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: left}
  hung_up: {goto: left}
out_of_turns: {goto: left}
states:
  hello:
    kind: decision
    phase: two
    ask: calling_from
    on: {affirmation: {goto: telling}}
  telling:
    kind: action
    phase: two
    do: [{tool: tell}]
    on: {tell.done: {goto: told}, tell.failed: {goto: left}}
  told: {kind: terminal, outcome: told, say: bye}
  left: {kind: terminal, outcome: left, say: not_told}
"""
PROMPTS = {
    "first": """\
language: en
prompts:
  hello: Shall I hand you over?
  machine: I am a machine.
  one_moment: One moment.
""",
    "second": """\
language: en
prompts:
  calling_from: You call from {caller_number}. Right?
  machine: I am a machine.
  bye: Goodbye.
  not_told: It did not work.
""",
}


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    for name, text in (("first", FIRST), ("second", SECOND)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flow.yaml").write_text(text, encoding="utf-8")
        (tmp_path / name / "prompts.en.yaml").write_text(PROMPTS[name], encoding="utf-8")
    return tmp_path / "first"


def test_a_call_goes_on_in_another_flow(place: Place, first: Path) -> None:
    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
        assert trial.prompts() == ["hello", "one_moment", "calling_from", "bye"]
        assert [event["flow"] for event in trial.events("handover")] == ["second"]
        assert trial.record()["outcome"] == "told"
        assert trial.actions() == ["tell"]
        assert "15550101" not in trial.everything_logged()
        assert trial.session.over(trial.clock.now())[1].turns == 2  # one in each

    run(call)


def test_a_crash_in_the_second_flow_has_its_wrap_up_done(place: Place, first: Path) -> None:
    with (first.parent / "second" / "flow.yaml").open("a") as file:
        file.write("\nwrap_up: card\n")

    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            assert trial.record()["wrap_up"] == ["card"]  # all that is left if it crashes now

    run(call)


def test_a_state_waits_as_long_as_it_says(place: Place, first: Path) -> None:
    async def call() -> None:
        async with place(flow=first, no_input_ms=60000) as trial:
            await trial.listens()
            await trial.line.quiet(1700)
            assert trial.events("no_input")

    run(call)


def test_a_tool_that_is_late_has_failed(place: Place, first: Path) -> None:
    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            trial.services.store_worker.submit = lambda *_: Future()
            await trial.says("yes")
            await asyncio.sleep(0.1)
            await trial.listens()
        assert trial.prompts()[-1] == "not_told"
        assert trial.record()["outcome"] == "left"

    run(call)


def test_what_the_next_flow_requires_must_be_passed_on(first: Path) -> None:
    flow = first / "flow.yaml"
    flow.write_text(FIRST.replace("facts: [caller_number]}", "facts: [day]}"), encoding="utf-8")
    with pytest.raises(ConfigError, match="requires caller_number at its start"):
        FlowShelf(first)


def test_calls_are_not_handed_round_in_a_circle(first: Path) -> None:
    text = SECOND.replace("told: {kind: terminal, outcome: told, say: bye}",
                          "told: {kind: terminal, outcome: told, say: bye, "
                          "handover: {flow: ../first, note: back}}")  # fmt: skip
    text = text.replace("tools:", "notes: {back: {to: first, facts: caller_number}}\ntools:")
    (first.parent / "second" / "flow.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="in a circle: first -> second -> first"):
        FlowShelf(first)


def test_a_call_goes_on_in_the_flow_that_there_was_when_it_began(place: Place, first: Path) -> None:
    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            handover = ",\n         handover: {flow: ../second, note: pass}}"
            notes = "notes: {pass: {to: second, facts: [caller_number]}}\n"
            text = FIRST.replace(handover, "}").replace(notes, "")
            (first / "flow.yaml").write_text(text, encoding="utf-8")
            assert await _reloader(trial, first).reload()
            assert len(trial.services.flows.current.all()) == 1
            await trial.says("yes")
            await trial.listens()
        assert trial.prompts()[:3] == ["hello", "one_moment", "calling_from"]

    run(call)


def test_what_leads_nowhere_disturbs_nothing(place: Place, first: Path) -> None:
    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            turns = len(trial.events("turn"))
            # An action of long ago comes to its outcome.
            trial.session._dialogue.deed_done(_OLD, Result("done"))
            assert len(trial.events("turn")) == turns
            assert trial.events("tool_done")

    run(call)


_OLD = Action(
    ActionState(kind="action", phase="p", do=(ToolCall(tool="tell"),)), 0, {}, "call-1:0:tell"
)


def _reloader(trial, flow: Path) -> Reloader:  # type: ignore[no-untyped-def]
    accounts = AccountBook({"default": ACCOUNT})
    return Reloader(trial.services.flows, accounts, CallConfig(flow=str(flow)), trial.services)


def test_a_changed_flow_serves_new_calls_once_it_is_proven(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(flow_folder("collections"), folder)
    prompts = folder / "prompts.en.yaml"

    async def call() -> None:
        async with place(flow=folder) as trial:
            shelf = trial.services.flows
            before = shelf.current.first
            await trial.listens()
            assert not shelf.changed()
            text = prompts.read_text(encoding="utf-8")
            prompts.write_text(text.replace("Are you still there?", "Are you with me?"))
            flow = folder / "flow.yaml"
            text = flow.read_text(encoding="utf-8")
            flow.write_text(text.replace("say: are_you_there", "say: [are_you_there, goodbye]"))
            assert shelf.changed()
            assert await _reloader(trial, folder).reload()
            assert shelf.current.first.hash != before.hash
            shown = shelf.current.first.templates["en"]["are_you_there"].shown
            assert shown == ("Are you with me?",)
            assert trial.services.voices.of(None).find("Are you with me?")
            await trial.line.quiet(6500)  # the call under way keeps the flow that it began with
            assert trial.prompts()[-2:] == ["are_you_there", "ask_for_person"]

    run(call)


def test_a_full_disk_does_not_end_the_watching(
    place: Place, first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reload_module, "_LOOK_EVERY_S", 0.05)

    def full(_campaign: object) -> object:
        raise OSError(28, "No space left on device")

    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            shelf, watching = trial.services.flows, _reloader(trial, first)
            task = asyncio.create_task(watching.run())
            with monkeypatch.context() as disk:
                disk.setattr(reload_module, "as_file", full)
                (first / "prompts.en.yaml").write_text(
                    PROMPTS["first"].replace("hand you", "put you")
                )
                await asyncio.sleep(1)
            before = shelf.current.first.hash
            (first / "prompts.en.yaml").write_text(PROMPTS["first"].replace("Shall I", "May I"))
            async with asyncio.timeout(60):
                while shelf.current.first.hash == before:
                    assert not task.done()
                    await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    run(call)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("prompts.en.yaml", "It's a personal matter", "It's about a debt"),  # is not proven
        ("flow.yaml", "start: greeting", "start: nowhere"),  # does not load
        ("flow.yaml", "flow: collections", "flow: ["),
    ],
)
def test_a_flow_that_is_refused_changes_nothing(
    place: Place, tmp_path: Path, file: str, old: str, new: str
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(flow_folder("collections"), folder)

    async def call() -> None:
        async with place(flow=folder) as trial:
            before = trial.services.flows.current.first
            path = folder / file
            path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
            assert not await _reloader(trial, folder).reload()
            assert trial.services.flows.current.first is before

    run(call)


def test_each_persona_speaks_in_her_own_voice(place: Place, first: Path) -> None:
    second = first.parent / "second" / "flow.yaml"
    text = SECOND.replace("start: hello", "start: hello\nvoices: [alice]")
    second.write_text(text, encoding="utf-8")
    alice, nobody = ToneVoice(), ToneVoice()
    voices = {
        name: PromptCache(voice, first.parent / name)
        for name, voice in (("alice", alice), ("nobody", nobody))
    }

    async def call() -> None:
        async with place(flow=first, voices=voices) as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
        assert [text.split()[0] for text in alice.spoken] == ["You", "Right?"]
        assert nobody.spoken == []

    run(call)


def test_prompts_of_a_changed_flow_are_rendered_one_by_one(place: Place, first: Path) -> None:
    """A call that needs a sentence meanwhile does not wait for all of them."""

    async def call() -> None:
        async with place(flow=first) as trial:
            await trial.listens()
            jobs = []
            workers = trial.services.speaking_workers
            submit = workers.submit

            def counted(fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
                jobs.append(fn)
                return submit(fn, *args, **kwargs)

            workers.submit = counted
            (first / "prompts.en.yaml").write_text(
                PROMPTS["first"].replace("Shall I", "May I"), encoding="utf-8"
            )
            assert await _reloader(trial, first).reload()
            wanted = wanted_of(trial.services.flows.current.all(), "en")
            assert len(jobs) == len(wanted) > 3
            assert all(isinstance(job, Apart) for job in jobs)  # no cost of the call's
            cache = trial.services.voices.of(None)
            assert all(cache.path(each).exists() for each in wanted)

    run(call)
