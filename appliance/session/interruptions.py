"""Does the caller want the floor? Which of his sounds stop a prompt, and which are no turn.

    frame, while a prompt may be talked over
      └> Gate ── a sound ──> OnsetJudge ── surely words ─────────────> stop, within a syllable
                                        ├─ a hum, a cough, a key ───> the prompt goes on
                                        └─ no words, but talk for `LONG_MS` ─> stop after all
    no turn came of it within `NO_TURN_MS` ──> it was nothing: what was cut off is said again

    his turn, read, that began over a prompt
      └> only "mhm", or a hum that was read as a word ──> an acknowledgement: no turn

"mhm" over a prompt means "go on"; after a question it means yes. So a turn is an acknowledgement
only if the prompt that it began over outlasted it, or was cut off by it.

Time is counted in the line's 20 ms frames. Nothing here speaks or stops: `Floor` does.
"""

from __future__ import annotations

from dataclasses import dataclass

from appliance.audio.onset import Gate, Onset, OnsetJudge
from appliance.audio.vad import level_db
from appliance.types import FRAME_BYTES, FRAME_MS, AudioFrame

LONG_MS = 900
"""A turn over a prompt that lasts so long holds the floor whatever it sounds like: the judge is
not always right, and nobody acknowledges for that long."""
NO_TURN_MS = 600
"""Speech that stopped a prompt opens a turn after some 100 ms; longer after, none will come."""
_SHORT_WORDS = 2
"""A hum is read as one word or two, if as any; more words are words."""
_OUTLASTED_MS = 200
"""A caller is known to be silent 120 ms after his last sound, a prompt at once."""


_SOUNDS_LIKE_WORDS = 0.5  # P(speech)


@dataclass(frozen=True, slots=True)
class Moment:
    """What goes on in the call during a frame.

    Attributes:
        speaking: a prompt is heard.
        interruptible: and the caller may talk over it.
        turn_open: a turn of the caller's is open.
        talking: and he speaks at this moment.
        protected: the prompt must be heard to its end.
    """

    speaking: bool
    interruptible: bool
    turn_open: bool
    talking: bool
    protected: bool = False


@dataclass(slots=True, eq=False)
class Talk:
    """One turn of the caller's among our prompts; it stays as it was when the turn ended.

    Attributes:
        over: it began over a prompt that may be talked over.
        stopped: and stopped it.
        likeliest: P(speech) of its likeliest moment.
        outlasted: the prompt was heard as long as he was.
        protected: a prompt was heard that must be heard to its end.
    """

    over: bool = False
    stopped: bool = False
    likeliest: float = 0.0
    outlasted: bool = False
    protected: bool = False


class Interruptions:
    """One call's; fed with every frame, in order."""

    def __init__(self, judge: OnsetJudge) -> None:
        self._judge = judge
        self._gate = Gate()
        self._onset: Onset | None = None
        self._before = bytes(FRAME_BYTES)
        self._turn_open = False
        self._talk = Talk()  # the open turn, or the last one
        self._likeliest = 0.0  # P(speech) of the likeliest moment of the sounds before it
        self._talked_ms = 0
        self._prompt_quiet_ms = 0  # since a prompt was heard last
        self._talk_quiet_ms = 0
        self._unproven_ms: int | None = None  # since a stop that no turn has come of yet

    def push(self, frame: AudioFrame, moment: Moment) -> bool:
        """Whether the prompt is to stop now.

        Args:
            frame: what comes from the caller, without our own echo.
            moment: what goes on.
        """
        self._count(moment)
        wants = self._hear(frame, moment.interruptible) if not frame.echo else False
        self._before = frame.pcm
        if not moment.interruptible:
            return False
        holds_floor = not self._talk.over or self._talked_ms >= LONG_MS
        return wants or (moment.talking and holds_floor)

    def stopped(self) -> None:
        """The prompt was stopped for the caller's sake."""
        self._talk.stopped |= self._turn_open
        self._unproven_ms = None if self._turn_open else 0

    def turn_began(self, *, over_prompt: bool) -> Talk:
        """A turn of the caller's has begun; `over_prompt`: over something he may talk over."""
        stopped = self._unproven_ms is not None
        self._talk = Talk(over_prompt or stopped, stopped, self._likeliest)
        self._unproven_ms = None
        self._turn_open = True
        self._talked_ms = 0
        return self._talk

    @property
    def unproven(self) -> bool:
        """Whether a prompt was stopped, and it is not known yet whether for a turn."""
        return self._unproven_ms is not None

    def came_to_nothing(self) -> bool:
        """Whether a prompt was stopped by what turned out to be no turn; says so once."""
        if self._unproven_ms is None or self._unproven_ms < NO_TURN_MS:
            return False
        self._unproven_ms = None
        return True

    def _hear(self, frame: AudioFrame, interruptible: bool) -> bool:
        floor_db = self._gate.floor_db
        sounds = self._gate.push(level_db(frame.pcm))
        if not (sounds and interruptible):
            self._onset = None
            return False
        if self._onset is None:
            self._onset = self._judge.begin(self._before, floor_db)
            if not self._turn_open:
                self._likeliest = 0.0
        likely = self._onset.push(frame.pcm)
        self._likeliest = max(self._likeliest, likely)
        if self._turn_open:
            self._talk.likeliest = max(self._talk.likeliest, likely)
        return likely >= self._onset.stop_at

    def _count(self, moment: Moment) -> None:
        self._turn_open = moment.turn_open
        self._prompt_quiet_ms = 0 if moment.speaking else self._prompt_quiet_ms + FRAME_MS
        self._talk_quiet_ms = 0 if moment.talking else self._talk_quiet_ms + FRAME_MS
        if moment.talking:
            self._talked_ms += FRAME_MS
        if moment.turn_open:
            quiet_ms = self._talk_quiet_ms + _OUTLASTED_MS
            self._talk.outlasted = self._prompt_quiet_ms <= quiet_ms
            self._talk.protected = moment.protected
        if self._unproven_ms is not None:
            self._unproven_ms += FRAME_MS


def is_acknowledgement(talk: Talk, words: str, *, humming: bool) -> bool:
    """Whether a turn that has ended was none, but a sign that the caller listens.

    Args:
        talk: the turn.
        words: what was read of it; not empty.
        humming: they say nothing else but "mhm".
    """
    if not talk.over or talk.stopped:
        return talk.over and humming
    hummed = talk.likeliest < _SOUNDS_LIKE_WORDS and len(words.split()) <= _SHORT_WORDS
    return talk.outlasted and (humming or hummed)
