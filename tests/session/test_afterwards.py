"""What is done when a call is over: told by the session, or by the record after a crash."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import pytest

from appliance.actions.tools import Claim, Request, Result
from appliance.session.afterwards import over_of_record
from appliance.store.records import INTERRUPTED

from .conftest import Place

STARTED = datetime.fromisoformat("2026-11-11T10:30:00-05:00")
FLOW = """\
flow: desk
version: 1
start: look
automation: machine
outcomes: [left, booked]
facts: {guest: name, day: date, problem: text}
variables: {guest: {type: name, source: fact}, day: {type: date, source: fact}}
tools:
  look_up: {outcomes: [known, unknown, failed], produces: {known: guest}}
  book: {args: [guest], outcomes: [done, failed], produces: {done: day}, timeout_s: 0.2}
takeaways: [who_called, not_booked]
wrap_up: [card]
universal: {robot_question: {say: machine}}
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: left}
  hung_up: {goto: left}
out_of_turns: {goto: left}
states:
  look:
    kind: action
    phase: one
    do: [{tool: look_up}]
    on:
      look_up.known: {say: hello_guest, goto: ask}
      look_up.unknown: {goto: left}
      look_up.failed: {goto: left}
  ask:
    kind: decision
    phase: two
    ask: shall_i_book
    on: {affirmation: {goto: book}, negation: {goto: left}}
  book:
    kind: action
    phase: three
    do: [{tool: book, args: {guest: $guest}}]
    on:
      book.done: {say: booked_for, goto: booked}
      book.failed: {say: not_booked, goto: left}
  booked: {kind: terminal, outcome: booked}
  left: {kind: terminal, outcome: left}
"""
PROMPTS = """\
language: en
prompts:
  machine: I am a machine.
  hello_guest: Hello {guest}.
  shall_i_book: Shall I book?
  booked_for: Booked for {day}.
  not_booked: {text: That did not work., unless: day}
  who_called: {text: "{guest} called.", only_if: guest}
"""


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "flow.yaml").write_text(FLOW, encoding="utf-8")
    (folder / "prompts.en.yaml").write_text(PROMPTS, encoding="utf-8")
    return folder


def _known(request: Request, claim: Claim) -> Result:
    return Result("known", {"guest": "Ann Example"}) if request.number else Result("unknown")


def _booked(request: Request, claim: Claim) -> Result:
    assert claim.take()
    return Result("done", {"day": "2026-11-20"})


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


def test_a_tool_gives_facts_that_the_call_goes_on_with(place: Place, flow: Path) -> None:
    async def call() -> None:
        tools = {"look_up": _known, "book": _booked}
        async with place(flow=flow, tools=tools, number="+15550101") as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            names, over = trial.session.over(STARTED)
        assert trial.prompts() == ["hello_guest", "shall_i_book", "booked_for"]
        assert names == ("card",)
        assert over.number == "+15550101"
        assert over.outcome == "booked"
        assert over.facts == {"guest": "Ann Example", "day": "2026-11-20"}
        assert over.deeds == (("look_up", "known"), ("book", "done"), ("end_call", "done"))
        assert over.takeaways == ("Ann Example called.",)
        assert "Ann" not in trial.everything_logged()

    run(call)


def test_a_tool_that_comes_too_late_does_nothing(place: Place, flow: Path) -> None:
    late: list[bool] = []

    def slow(request: Request, claim: Claim) -> Result:
        late.append(claim.take())
        return Result("done", {"day": "2026-11-20"})

    async def call() -> None:
        tools = {"look_up": _known, "book": slow}
        async with place(flow=flow, tools=tools, number="+15550101") as trial:
            await trial.listens()
            worker = trial.services.store_worker
            really_submit, waiting = worker.submit, []
            worker.submit = lambda *work: waiting.append(work) or asyncio.Future()
            await trial.says("yes")
            await asyncio.sleep(0.4)
            await trial.listens()
            worker.submit = really_submit
            for work in waiting:
                worker.submit(*work)
            _, over = trial.session.over(STARTED)
        assert late == [False]
        assert trial.prompts()[-1] == "not_booked"
        assert ("book", "failed") in over.deeds
        assert over.takeaways == ("Ann Example called.", "That did not work.")

    run(call)


def test_a_call_that_is_hung_up_is_told_too(place: Place, flow: Path) -> None:
    async def call() -> None:
        async with place(flow=flow, tools={"look_up": _known}, number="+15550101") as trial:
            await trial.listens()
        _, over = trial.session.over(STARTED)
        assert (over.outcome, over.ended_by) == ("left", "peer")
        assert over.facts == {"guest": "Ann Example"}

    run(call)


def test_a_record_after_a_crash_tells_what_was_done() -> None:
    record = {
        "call": "abc", "number": "+15550101", "flow": "desk", "language": "en", "turns": 2,
        "started": STARTED.isoformat(), "outcome": INTERRUPTED, "ended_by": "appliance_crash",
        "facts": {}, "actions": [{"name": "look_up", "key": "k", "outcome": "known"}],
    }  # fmt: skip
    over = over_of_record(record)
    assert over.deeds == (("look_up", "known"),)
    assert (over.call, over.outcome, over.started) == ("abc", INTERRUPTED, STARTED)
    assert over.recovered


ASKS = """\
  ask:
    kind: decision
    phase: two
    ask: shall_i_book
    listen: {slot: name, check: read_guest}
    on: {read_guest.found: {goto: again}}
  again:
    kind: decision
    phase: two
    ask: not_booked_yet
    on: {affirmation: {goto: book}, negation: {goto: left}}
"""
CHECKS = """\
from enum import StrEnum
from appliance.dialogue.checks import Check, CheckInput, CheckResult


class Found(StrEnum):
    FOUND = "found"
    NONE = "none"


def read(given: CheckInput) -> CheckResult:
    return CheckResult(Found.FOUND, {"guest": given.understanding.text.title()})


CHECKS = (Check("read_guest", Found, read, produces={"found": ("guest",)}),)
"""


def test_what_a_caller_says_of_himself_is_not_logged(place: Place, flow: Path) -> None:
    text = (flow / "flow.yaml").read_text()
    start, end = text.index("  ask:"), text.index("  book:\n    kind")
    (flow / "flow.yaml").write_text(text[:start] + ASKS + text[end:])
    (flow / "checks.py").write_text(CHECKS)
    (flow / "prompts.en.yaml").write_text(PROMPTS + "  not_booked_yet: Go on?\n")

    async def call() -> None:
        tools = {"look_up": _known, "book": _booked}
        async with place(flow=flow, tools=tools, number="+15550101") as trial:
            await trial.listens()
            await trial.says("zelda wolkenstein")
            await trial.listens()
            await trial.says("wolkenstein yes please")
            await trial.listens()
        heard = [each["text"] for each in trial.events("heard")]
        assert heard == ["[private]", "[private] yes please"]
        assert "olkenstein" not in trial.everything_logged()

    run(call)


def test_a_name_that_was_put_right_stays_out_of_the_log(place: Place, flow: Path) -> None:
    text = (flow / "flow.yaml").read_text()
    start, end = text.index("  ask:"), text.index("  book:\n    kind")
    asks = ASKS.replace("negation: {goto: left}", "negation: {goto: ask}")
    (flow / "flow.yaml").write_text(text[:start] + asks + text[end:])
    (flow / "checks.py").write_text(CHECKS)
    (flow / "prompts.en.yaml").write_text(PROMPTS + "  not_booked_yet: Go on?\n")

    async def call() -> None:
        tools = {"look_up": _known, "book": _booked}
        async with place(flow=flow, tools=tools, number="+15550101") as trial:
            await trial.listens()
            for words in ("zelda wolkenstein", "no", "zelda falkenstein"):
                await trial.says(words)
                await trial.listens()
            await trial.says("yes and not wolkenstein")
            await trial.listens()
        assert trial.events("heard")[-1]["text"] == "yes and not [private]"
        assert "olkenstein" not in trial.everything_logged()

    run(call)


@pytest.mark.parametrize(
    ("slot", "said", "later", "logged", "secret"),
    [
        ("phone", "three one oh five five", "five five oh one oh oh", "[digits]", "oh one"),
        ("email", "zelda dot wolkenstein at gmail dot com", "yes wolkenstein", "yes [private]",
         "olkenstein"),
    ],
)  # fmt: skip
def test_a_number_and_an_address_stay_out_of_the_log(
    place: Place, flow: Path, slot: str, said: str, later: str, logged: str, secret: str
) -> None:
    text = (flow / "flow.yaml").read_text().replace("problem: text", f"problem: text, told: {slot}")
    start, end = text.index("  ask:"), text.index("  book:\n    kind")
    asks = ASKS.replace("slot: name", f"slot: {slot}").replace("read_guest", "read_told")
    (flow / "flow.yaml").write_text(text[:start] + asks + text[end:])
    checks = CHECKS.replace("guest", "told").replace(
        "given.understanding.text.title()",
        f'given.understanding.slots.get("{slot}", "3105550100")',
    )
    (flow / "checks.py").write_text(checks)
    (flow / "prompts.en.yaml").write_text(PROMPTS + "  not_booked_yet: Go on?\n")

    async def call() -> None:
        tools = {"look_up": _known, "book": _booked}
        async with place(flow=flow, tools=tools, number="+15550101") as trial:
            await trial.listens()
            await trial.says(said)
            await trial.listens()
            await trial.says(later)
            await trial.listens()
        assert [each["text"] for each in trial.events("heard")] == ["[private]", logged]
        assert secret not in trial.everything_logged()
        assert "3105550100" not in trial.everything_logged()

    run(call)
