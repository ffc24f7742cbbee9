"""The ways in which the plain pipeline is set up. All that is not named is Pipecat's default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

End = Literal["timeout", "judged", "segment"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One set-up.

    Attributes:
        about: one line for the report.
        own_recognizer: the appliance's, on windows as short as what was said, in place of
            Pipecat's Whisper service, which decodes 30 s.
        end: what ends a turn after the detector's 0.2 s of silence. `timeout`: Pipecat's 0.6 s
            more. `judged`: the model for ends of turns that comes with Pipecat, 3 s where it says
            that the caller goes on. `segment`: nothing more, the segment is the turn.
    """

    about: str
    own_recognizer: bool
    end: End


VARIANTS = {
    "plain": Variant("Silero, 0.6 s more, Whisper service, Piper service", False, "timeout"),
    "judged": Variant("Silero, Smart Turn, Whisper service, Piper service", False, "judged"),
    "hasty": Variant("each segment is a turn, Whisper service, Piper service", False, "segment"),
    "tuned": Variant("each segment is a turn, the appliance's recognizer, Piper", True, "segment"),
}
"""`plain` is what the appliance is held against; the others say what settings could change."""
