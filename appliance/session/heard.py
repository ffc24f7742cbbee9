"""What of each prompt the caller heard: in words for the record, and as obligations for the flow.

    Speaker.say ─> Script.begin ─> sentences ─> Playout ─> Said ─> Script.hear ─> HeardPart
                                                                        │   ├─> journal, record
                                       resume <── sentences not heard ──┘   └─> Unheard ─> events

The line counts the frames that it really played, so where a prompt was cut is known to the frame.
Which sentence that was in is exact; which word of it is counted by letters, since voices do not
tell when they say each. Values are never written: a variable's place is `[name]`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from appliance.dialogue.events import CallStarted, Event, ToolDone
from appliance.dialogue.markup import parse, plain
from appliance.dialogue.turn import Prompt
from appliance.session.playout import Said, Stretch
from appliance.session.rendering import Sentence
from appliance.types import FRAME_MS

E = TypeVar("E", bound=Event)
_ALMOST_MS = 200
"""A sentence that lacks no more was heard: so long is the fall of a voice and the quiet after."""
_PLACE = re.compile(r"\[\w+\]")
_KNOWN_MS = 300
"""Nobody answers a question of which he has heard less: what he says then is about another."""
_TWICE = 2
"""So often a prompt goes on after noise and may be cut off again; then it is played to its end."""
_KEPT = 12  # prompts that are remembered: those of the last turns


@dataclass(frozen=True, slots=True)
class HeardPart:
    """What became of a prompt: the words that were heard and those that were not, redacted.

    `must_hear`: it is an obligation; `whole`: all that must be heard of it was by now.
    """

    prompt: str
    words: str
    cut: str
    must_hear: bool = False
    whole: bool = True


@dataclass(slots=True, eq=False)
class _Saying:
    """A prompt that is being said. `since`: the sentence that this stretch of it begins with."""

    prompt: Prompt
    sentences: tuple[Sentence, ...]
    aside: bool = False
    heard: list[bool] = field(init=False)
    since: int = 0
    resumed: int = 0

    def __post_init__(self) -> None:
        self.heard = [False] * len(self.sentences)

    @property
    def whole(self) -> bool:
        """Whether all was heard that counts: a mere "Is that right?" at the end does not."""
        last = self.sentences[-1].speech
        spare = len(self.sentences) > 1 and plain(last).rstrip().endswith("?")
        spare = spare and "<slot " not in last
        return all(self.heard[: len(self.heard) - spare])


class Script:
    """What one call says, sentence by sentence; used from the event loop only."""

    def __init__(self) -> None:
        self._sayings: dict[int, _Saying] = {}
        self._number = 0
        self.cut: list[tuple[int, int]] = []
        """What the last stop cut off: by saying, the first sentence that was not heard."""

    def begin(self, prompt: Prompt, sentences: Sequence[Sentence], *, aside: bool = False) -> int:
        """A prompt will be said, in these sentences; the number of the saying."""
        self._number += 1
        self._sayings[self._number] = _Saying(prompt, tuple(sentences), aside)
        for old in [number for number in self._sayings if number <= self._number - _KEPT]:
            del self._sayings[old]
        return self._number

    def is_aside(self, saying: int) -> bool:
        """Whether something that is being said is of no turn."""
        found = self._sayings.get(saying)
        return found is not None and found.aside

    def go_on(self, saying: int, sentence: int) -> tuple[Sentence, ...]:
        """It is said again from this sentence on: what is to be played.

        Noise that never ends must not keep a caller from what he is told, nor the call from the
        silence that follows it: in the end nobody can talk over it any more.
        """
        again = self._sayings.get(saying)
        if again is None:
            return ()
        again.since, again.resumed = sentence, again.resumed + 1
        to_its_end = again.resumed > _TWICE
        return tuple(
            replace(each, saying=saying, uninterruptible=each.uninterruptible or to_its_end)
            for each in again.sentences[sentence:]
        )

    def hear(self, said: Said) -> HeardPart:
        """A saying came to its end, or was interrupted."""
        saying = self._sayings.get(said.saying)
        if saying is None:  # long ago: there is nothing to add to what the line tells
            return HeardPart(said.prompt, "", "", whole=not said.interrupted)
        shares = dict.fromkeys(range(saying.since, len(saying.sentences)), 0.0)
        for each in said.stretches:
            whole = each.whole and each.total_ms - each.heard_ms <= _ALMOST_MS
            saying.heard[each.sentence] |= whole
            shares[each.sentence] = 1.0 if whole else _share(each)
        if said.interrupted:
            left = next((at for at in shares if not saying.heard[at]), None)
            if left is not None and not saying.aside:
                self.cut.append((said.saying, left))
        heard, cut = _divided(saying.sentences[saying.since :], list(shares.values()))
        must_hear = saying.prompt.must_hear
        return HeardPart(said.prompt, heard, cut, must_hear, saying.whole)


class Unheard:
    """The obligations that a caller has not heard to the end; each event tells the dialogue."""

    def __init__(self) -> None:
        self._owed: dict[str, None] = {}

    def say(self, prompts: Iterable[Prompt]) -> None:
        """These are said now; what nobody can talk over will be heard."""
        for prompt in prompts:
            self._owed.pop(prompt.id, None)
            if prompt.must_hear and not prompt.uninterruptible:
                self._owed[prompt.id] = None

    def heard(self, part: HeardPart) -> None:
        """A prompt was said, or cut off."""
        if part.whole:
            self._owed.pop(part.prompt, None)

    def tell(self, event: E, being_said: Container[str]) -> E:
        """The event with what was not heard.

        `being_said`: prompts that go on. A tool's outcome disturbs none, so it does not tell them;
        whatever else happens puts an end to them.
        """
        if not self._owed or isinstance(event, CallStarted):
            return event
        goes_on = being_said if isinstance(event, ToolDone) else ()
        owed = {*event.unheard, *(name for name in self._owed if name not in goes_on)}
        return replace(event, unheard=tuple(sorted(owed)))


class Asked:
    """Whether a caller knew what he was asked when he began to speak.

    Attributes:
        number: of the question that stands; one that is put in other words keeps it.
    """

    def __init__(self) -> None:
        self.number = 0
        self._prompts: frozenset[str] = frozenset()
        self._heard_ms = 0

    @property
    def known(self) -> int | None:
        """The number, if so much of the question was heard that it can be answered."""
        return self.number if not self._prompts or self._heard_ms >= _KNOWN_MS else None

    def asks(self, prompts: frozenset[str], *, anew: bool) -> None:
        """These ask what is asked now; `anew`: even if they did before."""
        if anew or prompts != self._prompts:
            self._prompts, self._heard_ms = prompts, 0
            self.number += 1

    def heard(self, prompt: str) -> None:
        """20 ms of a prompt were heard."""
        if prompt in self._prompts:
            self._heard_ms += FRAME_MS


def _share(stretch: Stretch) -> float:
    """How much of a sentence was heard; of one that was not all rendered, at most nearly all."""
    share = stretch.heard_ms / stretch.total_ms if stretch.total_ms else 0.0
    return min(share, 1.0 if stretch.whole else 0.99)


def _divided(sentences: Sequence[Sentence], shares: Sequence[float]) -> tuple[str, str]:
    heard: list[str] = []
    cut: list[str] = []
    for sentence, share in zip(sentences, shares, strict=True):
        words = _words(sentence.speech)
        total, at = sum(length for _, length in words), 0
        for word, length in words:
            at += length
            (heard if not cut and at <= share * total else cut).append(word)
    return " ".join(heard), " ".join(cut)


def _words(sentence: str) -> list[tuple[str, int]]:
    """The words of a marked sentence as they are logged, each with its length as it is said."""
    try:
        pieces = parse(sentence)
    except ValueError:  # the voice has refused it too
        return [(word, len(word)) for word in plain(sentence).split()]
    text, values = "", list[int]()
    before = None
    for piece in pieces:
        if piece.slot is None:
            text += " " if piece.pause_ms else piece.text
        elif piece.slot == before:
            values[-1] += len(piece.said)
        else:
            text += f"[{piece.slot}]"
            values.append(len(piece.said))
        before = piece.slot
    lengths = iter(values)
    return [
        (word, sum(next(lengths, 0) for _ in _PLACE.finditer(word)) + len(_PLACE.sub("", word)) + 1)
        for word in text.split()
    ]
