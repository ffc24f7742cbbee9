"""A Pipecat transport over the appliance's own SIP line: both systems are called the same way.

line process ── Audio, Digit ──> LineInput ──> pipeline ──> LineOutput ── Play ──> line process
             ── played ────────────────────> Pace ────────────┘
"""

from __future__ import annotations

from typing import Any

from pipecat.audio.dtmf.types import KeypadEntry
from pipecat.frames.frames import (
    InputAudioRawFrame,
    InputDTMFFrame,
    InterruptionFrame,
    OutputAudioRawFrame,
)
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from appliance.session.leg import Leg
from appliance.telephony.messages import Audio, CallDown, CallUp, Digit
from appliance.types import FRAME_BYTES, LINE_RATE_HZ
from plain_pipeline.laps import Laps
from plain_pipeline.pace import Pace

CONNECTED, DISCONNECTED = "on_client_connected", "on_client_disconnected"
"""The events of a call, named as those of Pipecat's own transports."""


def line_params() -> TransportParams:
    """Sound both ways; all else is Pipecat's default."""
    return TransportParams(audio_in_enabled=True, audio_out_enabled=True)


class LineTransport(BaseTransport):
    """One call. Its handlers of `CONNECTED` and `DISCONNECTED` are given the transport."""

    def __init__(self, leg: Leg, laps: Laps) -> None:
        super().__init__()
        for event in (CONNECTED, DISCONNECTED):
            self._register_event_handler(event)
        self.leg = leg
        pace, params = Pace(), line_params()
        self._input = LineInput(self, pace, params)
        self._output = LineOutput(leg, pace, params, laps)

    def input(self) -> LineInput:
        """What the caller says and types."""
        return self._input

    def output(self) -> LineOutput:
        """What the caller is told."""
        return self._output

    async def tell(self, event: str) -> None:
        """Call the handlers of an event."""
        await self._call_event_handler(event)


class LineInput(BaseInputTransport):
    """Reads the call's events until it is over."""

    def __init__(self, transport: LineTransport, pace: Pace, params: TransportParams) -> None:
        super().__init__(params)
        self._transport, self._pace = transport, pace

    async def start(self, frame: Any) -> None:
        """The pipeline is ready: answer the call."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self._reader = self.create_task(self._read())
        self._transport.leg.answer()

    async def _read(self) -> None:
        async for event in self._transport.leg.inbox():
            match event:
                case Audio(pcm=pcm, played=played):
                    self._pace.tick(played)
                    await self.push_audio_frame(InputAudioRawFrame(pcm, LINE_RATE_HZ, 1))
                case Digit(digit=digit):
                    if digit in set(KeypadEntry):
                        await self.push_frame(InputDTMFFrame(button=KeypadEntry(digit)))
                case CallUp():
                    await self._transport.tell(CONNECTED)
                case CallDown():
                    await self._transport.tell(DISCONNECTED)
                case _:
                    pass  # hold and transfers are not compared


class LineOutput(BaseOutputTransport):
    """Plays in the line's own time; an interruption drops what the line has not played."""

    def __init__(self, leg: Leg, pace: Pace, params: TransportParams, laps: Laps) -> None:
        super().__init__(params)
        self._leg, self._pace, self._laps = leg, pace, laps

    async def start(self, frame: Any) -> None:
        """Take sound from now on."""
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Send a chunk, 20 ms at a time; returns when the line has room for more."""
        for at in range(0, len(frame.audio), FRAME_BYTES):
            await self._pace.room()
            self._leg.play(frame.audio[at : at + FRAME_BYTES].ljust(FRAME_BYTES, b"\0"))
            self._laps.spoke()
        return True

    async def process_frame(self, frame: Any, direction: Any) -> None:
        """See the class."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame):
            self._leg.flush()
            self._pace.dropped()
