"""Who has the floor: whether what is being said may be talked over, and what happens if it is.

    caller wants the floor ──> a prompt that may be talked over stops; a protected one plays on
    it was noise, or "mhm" ──> what he cut off goes on, from the sentence it was cut in
    an answer is there ──> it replaces what it answers, but for what is protected

A prompt is protected by its own flow (`uninterruptible`) or by what is listened for
(`interruptible: false`). The last words of a call are heard out too.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.audio.onset import OnsetJudge
from appliance.dialogue.turn import Listen, Prompt
from appliance.session.interruptions import Interruptions, Moment, Talk
from appliance.session.speaker import Speaker
from appliance.types import AudioFrame


class Floor:
    """One call's floor; used from the event loop only."""

    def __init__(self, speaker: Speaker, judge: OnsetJudge) -> None:
        self._speaker = speaker
        self._interruptions = Interruptions(judge)
        self._listen = Listen(expects_reply=False)
        self._ended = False

    @property
    def uninterruptible(self) -> bool:
        """Whether something is being said that the caller must hear to its end."""
        if not self._speaker.speaking or self._speaker.says_only_asides:
            return False
        return self._speaker.protected or not self._listen.interruptible

    @property
    def interruptible(self) -> bool:
        """Whether something is being said that the caller may talk over."""
        return self._speaker.speaking and not self.uninterruptible and not self._ended

    @property
    def given_up(self) -> bool:
        """Whether the appliance fell silent for the caller, who has no turn yet."""
        return self._interruptions.unproven

    def listen(self, listen: Listen, *, ended: bool) -> None:
        """What the dialogue waits for from now on; `ended` if what it says now is its last."""
        self._listen, self._ended = listen, ended

    def speech_started(self) -> Talk:
        """A turn of the caller's begins."""
        return self._interruptions.turn_began(over_prompt=self.interruptible)

    def tick(self, frame: AudioFrame, *, turn_open: bool, talking: bool) -> bool:
        """20 ms have passed; whether what is being said was stopped for the caller.

        Args:
            frame: what came from him, without our echo.
            turn_open: he has a turn.
            talking: and speaks at this moment.
        """
        speaking, may_stop, protected = (
            self._speaker.speaking, self.interruptible, self.uninterruptible,
        )  # fmt: skip
        moment = Moment(speaking, may_stop, turn_open, talking, protected)
        if self._interruptions.push(frame, moment):
            self._speaker.stop()
            self._interruptions.stopped()
            return True
        if self._interruptions.came_to_nothing():
            self.noise_heard()
        return False

    def key_pressed(self) -> None:
        """The caller types: he answers what he has heard so far."""
        if not self.uninterruptible:
            self._speaker.stop()
        self._speaker.forget_cut()

    def make_room(self) -> None:
        """An answer is about to be said: what it answers is not said any further."""
        self._speaker.stop(keep_protected=True)

    def say(self, prompts: Sequence[Prompt]) -> None:
        """Say this after what is being said now."""
        self._speaker.say(prompts)

    def noise_heard(self) -> None:
        """The caller said no words after all: what was cut off goes on, from its sentence."""
        self._speaker.resume()
