"""What all calls share: the engines, the actions, the clock, and the threads that they run in.

Inference runs in threads: ctranslate2 and onnxruntime release the GIL. All of a call's hearing
goes through the scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field

from appliance.actions.host import ActionHost
from appliance.actions.wrapup import WrapUps
from appliance.audio.ending import EndJudge
from appliance.audio.onset import OnsetJudge
from appliance.audio.voice import VoiceModel
from appliance.clock import Clock
from appliance.config import CallConfig, HearingConfig
from appliance.flows.shelf import FlowShelf
from appliance.nlu.understander import Understander
from appliance.session.liveview import LiveView
from appliance.session.metered import Meter
from appliance.session.outside import Outside
from appliance.store.database import Database
from appliance.stt.recognizer import Recognizer
from appliance.stt.scheduler import Scheduler
from appliance.stt.silero import SileroModel
from appliance.tts.voices import Voices
from appliance.types import Language


@dataclass(frozen=True)
class Services:
    """Loaded once at start; every member may be used by several calls at once."""

    flows: FlowShelf
    recognizers: Mapping[Language, Recognizer]
    """Those of the languages that calls are held in."""
    scheduler: Scheduler
    onsets: OnsetJudge
    ends: EndJudge
    voice_model: VoiceModel
    silero: SileroModel
    understander: Understander
    voices: Voices
    database: Database
    actions: ActionHost
    wrap_ups: WrapUps
    clock: Clock
    hearing: HearingConfig
    call: CallConfig
    live: LiveView
    speaking_workers: Executor
    store_worker: Executor
    afterwards: Executor
    """The one thread of wrap-ups: a helpdesk that does not answer holds up no promise of a call."""
    outside_workers: Executor
    outside: Outside
    speaking_meter: Meter = field(default_factory=Meter)
    """What `speaking_workers` tell of themselves."""

    def close(self) -> None:
        """Wait for what is running and end the threads."""
        self.scheduler.close()
        self.live.close()
        for each in (self.speaking_workers, self.outside_workers):
            each.shutdown(wait=True, cancel_futures=True)
        self.store_worker.shutdown(wait=True)  # what was decided is stored
        self.afterwards.shutdown(wait=True)
        self.actions.close()
        self.wrap_ups.close()
        self.outside.close()
        self.database.close()


def workers(name: str, count: int) -> ThreadPoolExecutor:
    """Worker threads with a name that shows in a debugger."""
    return ThreadPoolExecutor(max_workers=count, thread_name_prefix=name)
