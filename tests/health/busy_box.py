"""A box without SIP and models that holds call after call, and everything that it writes.

    Caller (a person) ⇄ FakeLine ⇄ CallSession ─> event log ─> record
                                     │      └───> metrics
                                     └─ tools, wrap-ups ─> database         stderr: the process log

Time is virtual, hearing is exact, the voice is a moment of silence; the rest is our own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace

import structlog

from appliance.actions.host import ActionHost
from appliance.actions.wrapup import WrapUps
from appliance.audio.ending import EndJudge
from appliance.audio.onset import OnsetJudge
from appliance.audio.voice import VoiceModel
from appliance.config import CallConfig, Config, HearingConfig
from appliance.errors import EngineError
from appliance.flows.shelf import FlowShelf
from appliance.health.exposition import exposition
from appliance.health.health import Health
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.session.call import CallSession
from appliance.session.journal import Journal
from appliance.session.liveview import LiveView
from appliance.session.services import Services
from appliance.session.toolbox import tools, wrap_ups
from appliance.store.actions import ActionStore
from appliance.store.database import Database
from appliance.store.events import EventLog
from appliance.store.records import write_record
from appliance.stt.load import Load
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.stt.scheduler import Scheduler
from appliance.stt.silero import SileroModel
from appliance.testing.clock import VirtualClock
from appliance.testing.line import FakeLine, InlineExecutor
from appliance.tts.cache import PromptCache
from appliance.tts.voice import Spoken
from appliance.tts.voices import Voices
from appliance.types import FRAME_BYTES, Language, Transcript, Understanding

from .people import SPANISH, Person, amount_words, birth_words, said

TURNS = Path(__file__).parents[2] / "models" / "turns"
_MOST_TURNS = 14
_FAILS, _KEYS, _CHATTERS = 0.05, 0.07, 0.25
_BREAKS_AFTER = 50
_PLAIN = Context()


class Mute:
    """A voice that takes 200 ms for any sentence; some it cannot speak."""

    def __init__(self, random: Random) -> None:
        self._random = random

    @property
    def identity(self) -> str:
        return "mute"

    def synthesize(self, text: str) -> bytes:
        return self.timed(text).pcm

    def timed(self, text: str) -> Spoken:
        if "<slot " in text and self._random.random() < _FAILS:
            raise EngineError("voice failed")
        return Spoken(bytes(10 * FRAME_BYTES))


class Hearing:
    """Hears exactly what the caller says next."""

    def __init__(self) -> None:
        self.words: str | EngineError = ""

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        if isinstance(self.words, EngineError):
            raise self.words
        return Transcript(self.words, 0.9, 5.0)


class BreakingUnderstander(RuleUnderstander):
    """Has a bug that shows every so often, and says in its text what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self._given = 0

    def understand(self, text: str, context: Context = _PLAIN) -> Understanding:
        self._given += 1
        if self._given % _BREAKS_AFTER == 0:
            raise ValueError(f"cannot be understood: {text}")
        return super().understand(text, context)


class BusyBox:
    """One flow, its store and logs in a folder, its metrics."""

    def __init__(self, folder: Path, flow: str, random: Random, language: Language = "en") -> None:
        self.folder, self.random, self.language = folder, random, language
        self.clock, self.health, self.hearing = VirtualClock(), Health(), Hearing()
        self.log = structlog.get_logger()
        self.said: list[str] = []
        """By the caller of now, in words."""
        config = Config(call=CallConfig(flow=flow, language=language))
        database = Database(folder / f"{flow}.sqlite")
        self.services = Services(
            flows=FlowShelf(flow), recognizers={language: self.hearing},
            understander=BreakingUnderstander(), ends=EndJudge.load(TURNS),
            voice_model=VoiceModel.load(TURNS), silero=SileroModel(), onsets=OnsetJudge.load(TURNS),
            voices=Voices(PromptCache(Mute(random), folder / "cache")),
            database=database, actions=ActionHost(ActionStore(database), tools(database, config)),
            wrap_ups=WrapUps(wrap_ups(database, config, self.clock)), clock=self.clock,
            hearing=HearingConfig(), call=config.call,
            scheduler=Scheduler(InlineExecutor(), self.clock, Load(workers=2, sla_ms=200)),
            live=LiveView(None), speaking_workers=InlineExecutor(), store_worker=InlineExecutor(),
            afterwards=InlineExecutor(), outside_workers=InlineExecutor(),
            outside=SimpleNamespace(close=lambda: None),
        )  # fmt: skip

    async def call(self, number: int, who: Person) -> None:
        """One call from its answer to its record, as the agent holds it."""
        self.said.clear()
        line = FakeLine(self.clock, f"call-{number}")
        first = self.services.flows.current.first
        flow = first.bind(line.key, who.data(first.name), self.language,
                          entry={"caller_number": f"+1{who.phone}"})  # fmt: skip
        log = EventLog(self.folder / "calls", line.key, self.clock.now())
        journal = Journal(log, self.clock, flow, self.health.calls.tally())
        journal.note("call", call=line.key, flow=flow.flow.name, peer="192.0.2.1",
                     number=f"+1{who.phone}")  # fmt: skip
        session = CallSession(line, flow, self.services, journal, f"+1{who.phone}")
        task = asyncio.create_task(self._held(session, journal))
        await line.settle()
        await _Talk(self, line, session, who).hold()
        line.bring_down()
        await task
        names, over = session.over(datetime(2026, 3, 2, 9, 30, tzinfo=UTC))
        log.close()
        self.services.wrap_ups.run(names, over, partial(write_record, log.path))

    async def _held(self, session: CallSession, journal: Journal) -> None:
        """The boundaries of a call, as `session.agent` has them."""
        try:
            await session.run()
        except Exception as error:
            journal.note("error", stage="call", what=type(error).__name__)
            self.log.exception("call failed by a bug", call=session.key)

    def metrics(self) -> str:
        return asyncio.run(exposition(self.health.registry)).decode()

    def close(self) -> None:
        self.services.close()


class _Talk:
    """A caller in one call: answers what is asked, and tells more than that."""

    def __init__(self, box: BusyBox, line: FakeLine, session: CallSession, who: Person) -> None:
        self._box, self._line, self._session, self._who = box, line, session, who
        self._random = box.random

    async def hold(self) -> None:
        for _ in range(_MOST_TURNS):
            await self._listens()
            if self._line.is_down:
                return
            draw = self._random.random()
            if draw < _KEYS:
                await self._line.press(self._random.choice((self._who.zip, self._who.card)))
            else:
                await self._says(EngineError("recognizer failed") if draw > 1 - _FAILS else None)

    async def _listens(self) -> None:
        for _ in range(20):
            before = len(self._line.played)
            await self._line.quiet(100)
            if len(self._line.played) == before or self._line.is_down:
                return

    async def _says(self, failure: EngineError | None) -> None:
        words = self._answer()
        self._box.said.append(words)
        self._box.hearing.words = failure or words
        await self._line.speak(200)
        await self._line.quiet(1600)

    def _answer(self) -> str:
        """To what was asked; or something else of his own, at the wrong place."""
        answers, chatter = self._answers(), self._chatter()
        asked = self._session._dialogue.listening.slot or "open"
        if self._random.random() < _CHATTERS:
            return self._random.choice(chatter)
        answer = answers[asked]
        return f"{answer} {self._random.choice(chatter)}" if self._random.random() < 0.2 else answer

    def _answers(self) -> dict[str, str]:
        who, random = self._who, self._random
        if self._box.language == "es":
            yes = random.choice(("sí", "sí, soy yo", "claro", "no", "no, soy su hermana"))
            return {
                **dict.fromkeys(("open", "text", "name", "address", "email", "phone", "time"), yes),
                "yes_no": yes, "zip": random.choice((who.zip, spanish(who.zip))),
                "amount": "cien dólares", "date": "mañana",
            }  # fmt: skip
        whole = random.choice((f"{who.house} {who.street} avenue",
                               f"it's {said(who.house, random)} {who.street} street"))  # fmt: skip
        return {
            "zip": random.choice((said(who.zip, random), f"it's {said(who.zip, random)}")),
            "yes_no": random.choice(("yes", "yes", "yes please", "yes", "no", "i think so")),
            "name": random.choice((who.name, f"my name is {who.name}", f"{who.last}, {who.first}")),
            "address": whole, "phone": said(who.phone, random),
            "email": random.choice((who.email, email_words(who.email))),
            "amount": random.choice(("fifty dollars", "i can pay a hundred", "a thousand")),
            "date": random.choice(("tomorrow", "on friday", "next monday")),
            "time": random.choice(("tomorrow morning", "as soon as possible", "friday at nine")),
            "text": f"my water heater is leaking and it makes a {who.secret} noise",
            "open": random.choice(("yes", "my sink is leaking", "i want to remodel the kitchen")),
        }  # fmt: skip

    def _chatter(self) -> list[str]:
        who, random = self._who, self._random
        return [
            f"my name is {who.name}",
            f"this is {who.first} {who.last} speaking",
            f"i was born on {birth_words(who, random)}",
            f"my card number is {said(who.card, random)}",
            f"my account is {said(who.account, random)}",
            f"you can reach me at {said(who.phone, random)}",
            f"write to {who.email}",
            f"i live at {who.house} {who.street} avenue",
            f"i owe {amount_words(who.balance)}",
            f"it was {who.balance} dollars",
            f"there is a {who.secret} noise",
            f"my zip code is {said(who.zip, random)}",
            f"mi código postal es {spanish(who.zip)}",
            f"it's {said(who.zip, random)} i mean {said(who.zip, random)}",
            "what did you say", "hold on", "are you a robot", "who is this",
        ]  # fmt: skip


def email_words(email: str) -> str:
    """As it is said."""
    return email.replace("@", " at ").replace(".", " dot ")


def spanish(digits: str) -> str:
    """Digit by digit."""
    return " ".join(SPANISH[int(each)] for each in digits)


@contextmanager
def busy(folder: Path, flow: str, random: Random, language: Language = "en") -> Iterator[BusyBox]:
    """A box that is closed at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    box = BusyBox(folder, flow, random, language)
    try:
        yield box
    finally:
        box.close()
