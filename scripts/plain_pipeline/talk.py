"""One call's dialogue, by the objects that `appliance chat` uses too. Nothing here is Pipecat's."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from appliance.dialogue.turn import Prompt, Turn
from appliance.session.hints import hint_of, names_in
from appliance.session.keypad import Keypad
from appliance.session.textwalk import TextWalk
from appliance.stt.recognizer import Hint

Said = Iterator[tuple[Prompt, ...]]
"""What is said, turn by turn; taking the next one may block, for tools work in between."""


class Talk:
    """The caller's doings in, what is said to him out."""

    def __init__(self, walk: TextWalk) -> None:
        self._walk = walk
        self._keypad = Keypad()

    @property
    def over(self) -> bool:
        """Whether the flow has ended."""
        return self._walk.call.state.ended

    def hint(self) -> Hint:
        """What the recognizer is told, as in a call of the appliance."""
        call = self._walk.call
        return hint_of(call.flow.listen(call.state), names_in(call.flow, call.state))

    def begins(self) -> Said:
        """The call is up."""
        return self._follow(self._walk.call.starts)

    def says(self, words: str) -> Said:
        """The caller said this."""
        return self._follow(lambda: self._walk.call.says(words))

    def is_silent(self) -> Said:
        """The caller says nothing."""
        return self._follow(self._walk.call.is_silent)

    def presses(self, key: str) -> Said:
        """The caller pressed a key; nothing is said before the entry is whole."""
        call = self._walk.call
        typed = self._keypad.press(key, call.flow.listen(call.state))
        return self._follow(lambda: call.types(typed)) if typed else iter(())

    def _follow(self, step: Callable[[], Turn]) -> Said:
        turn = step()
        if turn.reply != "already_closed":
            for each in self._walk.follow(turn):
                yield each.say
