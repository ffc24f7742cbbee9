"""Who has the floor: whether what is being said may be talked over, and what happens if it is.

    caller begins to speak ──> a prompt that may be talked over stops; a protected one plays on
    he turned out to be noise ──> what he cut off is said again
    an answer is there ──> it replaces what it answers, but for what is protected

A prompt is protected by its own flow (`uninterruptible`) or by what is listened for
(`interruptible: false`). The last words of a call are heard out too.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.dialogue.turn import Listen, Prompt
from appliance.session.playout import Said
from appliance.session.speaker import Speaker


class Floor:
    """One call's floor; used from the event loop only."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._listen = Listen(expects_reply=False)
        self._ended = False
        self._last_said: tuple[Prompt, ...] = ()
        self._cut_off: set[str] = set()

    @property
    def uninterruptible(self) -> bool:
        """Whether something is being said that the caller must hear to its end."""
        if not self._speaker.speaking:
            return False
        return self._speaker.protected or not self._listen.interruptible

    @property
    def interruptible(self) -> bool:
        """Whether something is being said that the caller may talk over."""
        return self._speaker.speaking and not self.uninterruptible and not self._ended

    def listen(self, listen: Listen, *, ended: bool) -> None:
        """What the dialogue waits for from now on; `ended` if what it says now is its last."""
        self._listen, self._ended = listen, ended

    def speech_started(self) -> None:
        """The caller speaks: what he may talk over stops."""
        if self.interruptible:
            self._speaker.stop()

    def tick(self, *, talking: bool) -> None:
        """20 ms have passed; `talking`: the caller speaks at this moment."""
        if talking and self.interruptible:  # he began over a prompt that has ended
            self._speaker.stop()

    def key_pressed(self) -> None:
        """The caller types: he answers what he has heard so far."""
        if not self.uninterruptible:
            self._speaker.stop()

    def make_room(self) -> None:
        """An answer is about to be said: what it answers is not said any further."""
        self._speaker.stop(keep_protected=True)

    def say(self, prompts: Sequence[Prompt]) -> None:
        """Say this after what is being said now."""
        self._last_said = tuple(prompts)
        self._cut_off.clear()
        self._speaker.say(prompts)

    def said(self, said: Said) -> None:
        """A prompt ended or was interrupted."""
        if said.interrupted:
            self._cut_off.add(said.prompt)

    def noise_heard(self) -> None:
        """What the caller seemed to say were no words: a prompt that it cut off is said again."""
        again = [prompt for prompt in self._last_said if prompt.id in self._cut_off]
        self._cut_off.clear()
        if not self._speaker.speaking:
            self._speaker.say(again)
