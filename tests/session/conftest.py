import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.actions.host import ActionHost
from appliance.actions.tools import Tool
from appliance.actions.wrapup import WrapUp, WrapUps
from appliance.audio.ending import EndJudge
from appliance.audio.onset import OnsetJudge
from appliance.audio.voice import VoiceModel
from appliance.config import CallConfig, HearingConfig
from appliance.errors import EngineError
from appliance.flows.shelf import FlowShelf
from appliance.nlu.rules import RuleUnderstander
from appliance.session.call import CallSession
from appliance.session.journal import Journal
from appliance.session.liveview import LiveView
from appliance.session.services import Services
from appliance.store.actions import ActionStore
from appliance.store.database import Database
from appliance.store.events import EventLog, read_events
from appliance.store.records import build_record
from appliance.stt.load import Load
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.stt.scheduler import Scheduler
from appliance.stt.silero import SileroModel
from appliance.testing.clock import VirtualClock
from appliance.testing.engines import ToneVoice
from appliance.testing.line import FakeLine, InlineExecutor
from appliance.tts.cache import PromptCache
from appliance.tts.voices import Voices
from appliance.types import Transcript

ACCOUNT = {
    "account_id": "ACC-778899",
    "agency": "Example Agency",
    "full_name": "Maria Lopez",
    "first_name": "Maria",
    "creditor": "Harbor Medical",
    "balance": "412.37",
    "expected_zip": "90210",
}
ONSETS = OnsetJudge.load(Path(__file__).parents[2] / "models" / "turns")
TURNS = Path(__file__).parents[2] / "models" / "turns"
ENDS, VOICE_MODEL, SILERO = EndJudge.load(TURNS), VoiceModel.load(TURNS), SileroModel()
SECRETS = ("90210", "nine zero two", "412", "arbor", "ACC-778899", "12.37", "lopez")


class Hearing:
    """A recognizer that hears what the test says next, however often it is asked."""

    def __init__(self) -> None:
        self.words: str | EngineError = ""
        self.confidence = 0.9

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        if isinstance(self.words, EngineError):
            raise self.words
        return Transcript(self.words, self.confidence, 5.0)


class Trial:
    """One call under way, and what it left behind."""

    services: Services
    session: CallSession

    def __init__(self, line: FakeLine, hearing: Hearing, log: Path, store: ActionStore) -> None:
        self.line, self.hearing, self.log, self.store = line, hearing, log, store
        self.clock: VirtualClock = line._clock

    async def says(self, words: str | EngineError, ms: int = 600) -> None:
        self.hearing.words = words
        await self.line.speak(ms)
        await self.line.quiet(1600)

    async def listens(self) -> None:
        """Hear the prompts to their end, and a little more."""
        for _ in range(100):
            before = len(self.line.played)
            await self.line.quiet(400)
            if len(self.line.played) == before or self.line.is_down:
                return

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        return [event for event in read_events(self.log) if kind in (None, event["t"])]

    def prompts(self) -> list[str]:
        return [name for turn in self.events("turn") for name in turn["prompts"]]

    def record(self) -> dict[str, Any]:
        return build_record(read_events(self.log))

    def actions(self) -> list[str]:
        return [action["name"] for action in self.store.of_call(self.line.key)]

    def everything_logged(self) -> str:
        return self.log.read_text() + json.dumps(self.record())


Place = Callable[..., Any]


@asynccontextmanager
async def placed(
    folder: Path,
    failing: Sequence[str] = (),
    flow: str | Path = "collections",
    voices: dict[str, PromptCache] | None = None,
    tools: Mapping[str, Tool] | None = None,
    wrap_ups: Mapping[str, WrapUp] | None = None,
    number: str = "",
    live_view: Path | None = None,
    deadline_s: float = 30.0,
    hearing: Mapping[str, Any] | None = None,
    **settings: Any,
) -> AsyncIterator[Trial]:
    """A call of `settings` (`[call]`) that hears as `hearing` (`[hearing]`) says.

    These can be put in place of what it has: `flows`, `recognizer`, `host` (from the store), and
    the executors `recognizing`, `speaking` and `storing`.
    """
    clock, recognizer = VirtualClock(), settings.pop("recognizer", None) or Hearing()
    line = FakeLine(clock)
    database = Database(folder / "x.sqlite")
    store = ActionStore(database)
    shelf = settings.pop("flows", None) or FlowShelf(flow)
    host = settings.pop("host", lambda store: ActionHost(store, tools))(store)
    recognizing, speaking, storing = (
        settings.pop(name, InlineExecutor()) for name in ("recognizing", "speaking", "storing")
    )
    services = Services(
        flows=shelf, recognizers={"en": recognizer}, understander=RuleUnderstander(),
        ends=ENDS, voice_model=VOICE_MODEL, silero=SILERO,
        onsets=ONSETS,
        voices=Voices(PromptCache(ToneVoice(failing), folder / "cache"), voices, deadline_s),
        database=database, actions=host,
        wrap_ups=WrapUps(wrap_ups or {}), clock=clock,
        hearing=HearingConfig(deadline_s=deadline_s, **(hearing or {})),
        call=CallConfig(**settings),
        scheduler=Scheduler(recognizing, clock, Load(workers=2, sla_ms=200)),
        live=LiveView(live_view), speaking_workers=speaking,
        store_worker=storing, afterwards=InlineExecutor(), outside_workers=storing,
        outside=SimpleNamespace(close=lambda: None),
    )  # fmt: skip
    log = EventLog(folder / "calls", line.key, clock.now())
    entry = {"caller_number": "15550101"}
    bound = services.flows.current.first.bind(line.key, ACCOUNT, entry=entry)
    journal = Journal(log, clock, bound)
    journal.note("call", call=line.key)
    session = CallSession(line, bound, services, journal, number)
    task = asyncio.create_task(session.run())
    await line.settle()
    trial = Trial(line, recognizer, log.path, store)
    trial.services, trial.session = services, session
    try:
        yield trial
    finally:
        line.bring_down()
        await task
        log.close()
        services.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Places a call: `async with place(human=…) as trial`."""
    return partial(placed, tmp_path)
