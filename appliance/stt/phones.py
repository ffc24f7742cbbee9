"""Words from the phone head: a search that cannot say what the sound does not hold.

    encoder output -> PhoneHead -> log-probabilities [T, phones] -> WordSearch -> words

Whisper's decoder is a language model that listens; a small one finishes sentences from memory.
The phone head (a CTC layer on the encoder, Graves et al. 2006) has no memory. `WordSearch` is a
Viterbi search over a loop of words, each a row of phones with CTC blanks between, weighted by a
word bigram. Pure numpy, one pass over the frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from appliance.errors import ConfigError

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_NEVER = np.float32(-1e30)
_SURE_BLANK = np.float32(np.log(0.98))
_SHARED_PHONE = np.float32(1.0)  # cost of a phone that ends one word and begins the next
_ENDS = 32  # word ends kept a frame
_START = -1


@dataclass(frozen=True)
class PhoneHead:
    """The phone layer beside a model: matrix [phones, width], bias [phones], blank at 0."""

    matrix: Floats
    bias: Floats
    phones: tuple[str, ...]

    def log_probs(self, hidden: Floats) -> Floats:
        """Encoder output [T, width] to log-probabilities [T, phones]."""
        logits = hidden @ self.matrix.T + self.bias
        logits = logits - logits.max(axis=1, keepdims=True)
        return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), np.float32)


@dataclass(frozen=True)
class Language:
    """Words with their phones, and how they follow each other (a bigram with back-off).

    Attributes:
        words: the vocabulary.
        phones: each word's phones, by name.
        first: log-probability of each word on its own [W].
        back_off: what a context with no bigram costs [W + 1]; the last row is the sentence start.
        starts: where each context's bigrams begin in the next two [W + 2].
        followers: word of each bigram.
        costs: log-probability of each bigram.
        last: log-probability that the sentence ends after each word [W].
    """

    words: tuple[str, ...]
    phones: tuple[tuple[str, ...], ...]
    first: Floats
    back_off: Floats
    starts: Ints
    followers: Ints
    costs: Floats
    last: Floats

    def row(self, context: int) -> Floats:
        """Log-probability of every word after `context` (-1: at the start) [W]."""
        found = self.first + self.back_off[context]
        span = slice(self.starts[context], self.starts[context + 1])
        if context == _START:
            span = slice(self.starts[-2], self.starts[-1])
        found[self.followers[span]] = self.costs[span]
        return np.asarray(found, np.float32)


def load_language(path: Path) -> Language:
    """Read a `language.npz`.

    Raises:
        ConfigError: the file is no such thing.
    """
    try:
        with np.load(path) as stored:
            words = tuple(str(stored["words"]).split("\n"))
            phones = tuple(tuple(line.split()) for line in str(stored["phones"]).split("\n"))
            arrays = {
                name: stored[name] for name in stored.files if name not in ("words", "phones")
            }
        return Language(words=words, phones=phones, **arrays)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: not a language for the phone head: {error}") from error


def load_head(path: Path) -> PhoneHead:
    """Read a `ctc.npz`.

    Raises:
        ConfigError: the file is no such thing.
    """
    try:
        with np.load(path) as stored:
            names = tuple(str(phone) for phone in stored["phones"])
            matrix, bias = stored["matrix"].astype(np.float32), stored["bias"].astype(np.float32)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{path}: not a phone head: {error}") from error
    return PhoneHead(matrix, bias, names)


@dataclass(frozen=True, slots=True)
class Found:
    """Words with a confidence in 0..1.

    The confidence says how much worse, a phone, the sound fits these words than it fits the best
    row of phones without any words: 1 where they are the same.
    """

    words: tuple[str, ...]
    confidence: float
    sound: float
    """Log-probability of the sound under these words, without what the language adds."""
    alternatives: tuple[tuple[str, ...], ...] = ()
    """The next best words, best first, where the search keeps any."""


class WordSearch:
    """Finds the likeliest words of one language. Thread-safe: a search has its own state."""

    def __init__(self, language: Language, head: PhoneHead, weight: float, bonus: float) -> None:
        """Lay out the states.

        Args:
            language: the words; those with phones unknown to the head are left out.
            head: gives the phones' places.
            weight: of the bigram against the sound.
            bonus: added for each word, against the search's liking for few words.
        """
        place = {phone: index for index, phone in enumerate(head.phones)}
        self._language, self._weight, self._bonus = language, weight, bonus
        columns: list[int] = []
        spans: list[tuple[int, int]] = []
        for phones in language.phones:
            at = len(columns)
            known = [place.get(phone, 0) for phone in phones]
            for column in known:
                columns += [column, 0]
            spans.append((at, len(columns)))
        self._columns = np.array(columns, np.int32)
        self._firsts = np.array([start for start, _ in spans], np.int32)
        self._finals = np.array([end - 2 for _, end in spans], np.int32)
        self._unknown = np.array([not set(p) <= place.keys() for p in language.phones])
        inner = np.ones(len(columns), bool)
        inner[self._firsts] = False
        self._from_previous = np.where(inner, np.float32(0), _NEVER)[1:]
        skip = inner[2:] & (self._columns[2:] != 0) & (self._columns[2:] != self._columns[:-2])
        self._from_before = np.where(skip, np.float32(0), _NEVER)

    def find(self, log_probs: Floats) -> Found:
        """The likeliest words for [T, phones]."""
        frames = _without_sure_blanks(log_probs)
        search = _Search(self._columns, self._finals)
        start = np.float32(0)
        entry = self._entry([_START], np.zeros(1, np.float32), None)
        entry_token = np.zeros(len(self._firsts), np.int32)
        for frame in frames:
            search.advance(frame, self._from_previous, self._from_before)
            search.enter(self._firsts, entry + frame[self._columns[self._firsts]], entry_token)
            start += frame[0]
            kept, scores, tokens, final = search.ends(self._finals)
            contexts = [_START, *kept.tolist()]
            all_scores = np.concatenate([[start], scores]).astype(np.float32)
            same = np.concatenate([[-1], np.where(final, self._columns[self._finals[kept]], -1)])
            choices = self._choices(contexts, all_scores, same)
            best = choices.argmax(axis=0)
            entry = choices[best, np.arange(choices.shape[1])]
            entry_token = np.concatenate([[0], tokens]).astype(np.int32)[best]
        words, score = self._best(search, start)
        sound = score - self._language_score(words)
        phones = sum(len(self._language.phones[word]) for word in words)
        unbound = float(frames.max(axis=1).sum())
        return Found(
            words=tuple(self._language.words[word] for word in words),
            confidence=float(np.exp(min(0.0, sound - unbound) / max(1, phones))),
            sound=sound,
        )

    def _entry(self, contexts: list[int], scores: Floats, same: Ints | None) -> Floats:
        return np.asarray(self._choices(contexts, scores, same).max(axis=0), np.float32)

    def _choices(self, contexts: list[int], scores: Floats, same: Ints | None) -> Floats:
        """What beginning each word costs after each context [contexts, W]."""
        rows = np.stack([self._language.row(context) for context in contexts])
        found = self._weight * rows + self._bonus + scores[:, None]
        if same is not None:  # "hundred dollars" is said with one d
            firsts = self._columns[self._firsts]
            found[same[:, None] == firsts[None, :]] -= _SHARED_PHONE
        found[:, self._unknown] = _NEVER
        return np.asarray(found, np.float32)

    def _best(self, search: _Search, start: np.float32) -> tuple[list[int], float]:
        kept, scores, tokens, _ = search.ends(self._finals)
        scores = scores + self._weight * self._language.last[kept]
        best = int(scores.argmax())
        if start >= scores[best]:
            return [], float(start)
        return search.history(int(tokens[best])), float(scores[best])

    def _language_score(self, words: list[int]) -> float:
        """What the words cost apart from their sound."""
        if not words:
            return 0.0
        rows = (self._language.row(context) for context in [_START, *words[:-1]])
        pairs = sum(float(row[word]) for row, word in zip(rows, words, strict=True))
        return self._weight * (pairs + float(self._language.last[words[-1]])) + (
            self._bonus * len(words)
        )


class _Search:
    """The state of one search: a score and a history for each place in each word."""

    def __init__(self, columns: Ints, finals: Ints) -> None:
        self._columns = columns
        self._score = np.full(len(columns), _NEVER, np.float32)
        self._token = np.zeros(len(columns), np.int32)
        self._words: list[int] = [_START]
        self._parents: list[int] = [0]
        self._word_at = finals

    def advance(self, frame: Floats, from_previous: Floats, from_before: Floats) -> None:
        """Stay, go to the next place, or skip a blank."""
        score, token = self._score, self._token
        best, origin = score.copy(), token.copy()
        for distance, allowed in ((1, from_previous), (2, from_before)):
            moved = score[:-distance] + allowed
            better = moved > best[distance:]
            np.copyto(best[distance:], moved, where=better)
            np.copyto(origin[distance:], token[:-distance], where=better)
        self._score = best + frame[self._columns]
        self._token = origin

    def enter(self, firsts: Ints, scores: Floats, tokens: Ints) -> None:
        """Begin words where that is better than going on in them."""
        better = scores > self._score[firsts]
        places = firsts[better]
        self._score[places], self._token[places] = scores[better], tokens[better]

    def ends(self, finals: Ints) -> tuple[Ints, Floats, Ints, NDArray[np.bool_]]:
        """The best word ends: words, scores, new history tokens, and whether on their phone."""
        on_phone, on_blank = self._score[finals], self._score[finals + 1]
        best = np.maximum(on_phone, on_blank)
        count = min(_ENDS, len(best))
        kept = np.argpartition(best, -count)[-count:].astype(np.int32)
        final = on_phone[kept] >= on_blank[kept]
        parents = self._token[np.where(final, finals[kept], finals[kept] + 1)]
        first = len(self._words)
        self._words.extend(kept.tolist())
        self._parents.extend(parents.tolist())
        tokens = np.arange(first, first + count, dtype=np.int32)
        return kept, best[kept], tokens, final

    def history(self, token: int) -> list[int]:
        """The words of a history, in order."""
        words = []
        while token:
            words.append(self._words[token])
            token = self._parents[token]
        return words[::-1]


def _without_sure_blanks(log_probs: Floats) -> Floats:
    """Frames that change nothing are left out: a sure blank after a sure blank."""
    sure = log_probs[:, 0] > _SURE_BLANK
    keep = ~(sure & np.concatenate([[False], sure[:-1]]))
    return np.asarray(log_probs[keep], np.float32)
