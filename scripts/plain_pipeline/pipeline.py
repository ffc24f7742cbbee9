"""The plain pipeline: what a developer builds from Pipecat's parts in an afternoon.

    line -> Silero VAD -> recognizer -> end of turn -> dialogue -> Piper -> line

Nothing is prepared: each stage begins when the one before it has ended. Settings are Pipecat's
defaults but for those that a `Variant` names.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.piper.tts import PiperTTSService
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_processor import UserTurnProcessor
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from appliance.config import Config
from appliance.session.leg import Leg
from appliance.stt.loading import open_recognizer
from appliance.stt.recognizer import Recognizer
from appliance.types import LINE_RATE_HZ
from plain_pipeline.dialogue import DialogueProcessor
from plain_pipeline.ears import PromptedModel, ShortEars, WhisperEars
from plain_pipeline.laps import Laps
from plain_pipeline.talk import Talk
from plain_pipeline.transport import CONNECTED, DISCONNECTED, LineTransport
from plain_pipeline.variants import End, Variant


class Models:
    """What is loaded once for all calls."""

    def __init__(self, config: Config, variant: Variant) -> None:
        """Load and warm the recognizer.

        Raises:
            ApplianceError: a model cannot be used.
        """
        self.config, self.variant = config, variant
        self.language = config.call.language
        self.voice = config.speaking.models.file(self.language)
        self._recognizer: Recognizer | None = None
        if variant.own_recognizer:
            self._recognizer = open_recognizer(config.hearing, self.language)
        else:
            self._whisper = PromptedModel(
                config.hearing.models.folder(self.language), self.language
            )
            silence = np.zeros(LINE_RATE_HZ, np.float32)
            list(self._whisper.transcribe(silence, language=self.language)[0])

    def ears(self, talk: Talk) -> FrameProcessor:
        """The recognizer of one call."""
        if self._recognizer is not None:
            return ShortEars(self._recognizer, talk.hint, self.language)
        return WhisperEars(self._whisper, self.language)

    def mouth(self) -> PiperTTSService:
        """The voice of one call, loaded and warm."""
        service = PiperTTSService(
            download_dir=self.voice.parent,
            settings=PiperTTSService.Settings(voice=self.voice.stem),
        )
        list(service._voice.synthesize("One."))
        return service


def build(
    leg: Leg, talk: Talk, models: Models, report: Callable[[dict[str, float]], None]
) -> PipelineWorker:
    """One call's pipeline; it answers the call when it is up, and ends with it."""
    laps = Laps(time.monotonic_ns, report)
    transport = LineTransport(leg, laps)
    dialogue = DialogueProcessor(talk, leg.hang_up, laps)
    turns = UserTurnProcessor(
        user_turn_strategies=_strategies(models.variant.end),
        user_idle_timeout=models.config.call.no_input_ms / 1000,
    )
    stages = [
        transport.input(),
        VADProcessor(vad_analyzer=SileroVADAnalyzer()),
        models.ears(talk),
        turns,
        dialogue,
        models.mouth(),
        transport.output(),
    ]
    rates = PipelineParams(audio_in_sample_rate=LINE_RATE_HZ, audio_out_sample_rate=LINE_RATE_HZ)
    worker = PipelineWorker(Pipeline(stages), params=rates, enable_rtvi=False)

    async def connected(_: LineTransport) -> None:
        await dialogue.begin()

    async def disconnected(_: LineTransport) -> None:
        await worker.cancel()

    async def nothing_heard(_: UserTurnProcessor) -> None:
        await dialogue.silence()

    transport.add_event_handler(CONNECTED, connected)
    transport.add_event_handler(DISCONNECTED, disconnected)
    turns.add_event_handler("on_user_turn_idle", nothing_heard)
    turns.add_event_handler("on_user_turn_stop_timeout", nothing_heard)  # sound without words
    return worker


def _strategies(end: End) -> UserTurnStrategies:
    match end:
        case "judged":
            return UserTurnStrategies()
        case "timeout":
            return UserTurnStrategies(stop=[SpeechTimeoutUserTurnStopStrategy()])
        case "segment":
            at_once = SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.0)
            return UserTurnStrategies(stop=[at_once])
