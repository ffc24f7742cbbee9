"""What the agent loads before its first call: models, voices, store, sources.

It takes seconds, and says how far it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from appliance.actions.host import ActionHost
from appliance.actions.settling import SETTLE, Settle
from appliance.actions.wrapup import WrapUps
from appliance.audio.ending import EndJudge
from appliance.audio.onset import OnsetJudge
from appliance.audio.voice import VoiceModel
from appliance.clock import Clock
from appliance.config import Config
from appliance.flows.shelf import FlowShelf
from appliance.nlu.loading import open_understander
from appliance.session.liveview import LiveView, assert_viewable
from appliance.session.metered import Meter, MeteredWorkers
from appliance.session.outside import open_outside
from appliance.session.prompts import PromptBook, open_voices
from appliance.session.readiness import check_intents
from appliance.session.services import Services, workers
from appliance.session.textdesk import AT_ONCE
from appliance.session.toolbox import tools, wrap_ups
from appliance.store.actions import ActionStore
from appliance.store.database import Database
from appliance.stt.load import Load
from appliance.stt.loading import open_recognizer
from appliance.stt.recognizer import Hint, Recognizer
from appliance.stt.scheduler import Scheduler
from appliance.stt.silero import SileroModel
from appliance.types import BYTES_A_SECOND

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def load_services(config: Config, flows: FlowShelf, clock: Clock, progress: Progress) -> Services:
    """Load the models, warm them, and render every fixed prompt of the flows.

    Raises:
        ApplianceError: a model, a voice or the store cannot be used.
    """
    assert_viewable(config.hearing.live_view)
    progress("voice", 0, 1)
    language = config.call.language
    voices = open_voices(config.speaking, language)
    prompts = PromptBook(config.speaking, voices, flows.current.all(), language)
    prompts.prepare(lambda done, total: progress("prompts", done, total))
    prompts.tidy()
    database = Database(config.record.store)
    outside = open_outside(config, database, clock)
    progress("sources", 0, 1)
    outside.start(flows.current.all())
    progress("sources", 1, 1)
    progress("understanding", 0, 1)
    understander = open_understander(config.understanding)
    check_intents(flows.current.all(), understander.intents)
    progress("understanding", 1, 1)
    progress("recognizer", 0, 1)
    recognizer = open_recognizer(config.hearing, config.call.language)
    scheduler = _open_scheduler(config, clock)
    _warm_up(recognizer, voices.of(None).render("One two three.").whole, scheduler.load)
    onsets = OnsetJudge.load(config.hearing.turns)
    progress("recognizer", 1, 1)
    speaking_meter, ledger = Meter(), ActionStore(database)
    actions = ActionHost(ledger, {**tools(database, config), **outside.tools})
    return Services(
        flows=flows,
        recognizers={config.call.language: recognizer},
        scheduler=scheduler,
        ends=EndJudge.load(config.hearing.turns),
        voice_model=VoiceModel.load(config.hearing.turns),
        silero=SileroModel(),
        onsets=onsets,
        live=LiveView(config.hearing.live_view),
        understander=understander,
        voices=voices,
        database=database,
        actions=actions,
        wrap_ups=WrapUps(
            {**wrap_ups(database, config), **outside.wrap_ups, SETTLE: Settle(actions, ledger)},
            always=(SETTLE,),
        ),
        clock=clock,
        hearing=config.hearing,
        call=config.call,
        speaking_workers=MeteredWorkers("speaking", 1, clock, speaking_meter),
        speaking_meter=speaking_meter,
        store_worker=workers("store", 1),
        afterwards=workers("afterwards", 1),
        outside_workers=workers("outside", config.line.capacity + AT_ONCE),
        outside=outside,
    )


def _open_scheduler(config: Config, clock: Clock) -> Scheduler:
    """The one queue of all decodes. More threads than cores decode no more at once."""
    count = config.hearing.workers
    cores = len(os.sched_getaffinity(0))
    load = Load(min(count, cores), config.hearing.sla_ms)
    return Scheduler(workers("hearing", count), clock, load)


def _warm_up(recognizer: Recognizer, pcm: bytes, load: Load) -> None:
    """Decode in every way, since the first time is slow; then see what a decode costs here."""
    recognizer.recognize(pcm, Hint(slot="zip", words=("maria",), digits=5))
    recognizer.recognize(pcm, partial=True)
    recognizer.recognize(pcm)
    started = time.perf_counter()
    recognizer.recognize(pcm)
    load.warm_up(len(pcm) / BYTES_A_SECOND, time.perf_counter() - started)
