"""Trigrams counted from several kinds of text and mixed into one back-off model.

    sentences of a source -> Counts -> probabilities (interpolated Kneser-Ney)  ┐
    sentences of another  -> Counts -> ...                                      ├> mixed -> Trigram
    each source's share, by hand -----------------------------------------------┘

Chen and Goodman (1999) for the smoothing with one discount an order. The mixture is static, as
SRILM's `ngram -mix-lm` (Stolcke 2002): every n-gram of any source gets its mixed probability, and
the back-off weights are worked out anew. A source weighs more after words that it says often, so
that digits are followed by digits although most sentences have none (Bacchiani et al. 2006 mix by
counts for the same reason). Tokens are whole numbers; 0 and 1 are the sentence's ends.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from appliance.stt.language import END, START, Trigram

Sentence = Sequence[int]
_FLOOR = 1e-9
_UNSEEN = 0.1  # counted for a context that a source does not have


class Source:
    """The smoothed trigram of one kind of text."""

    def __init__(self, sentences: Iterable[Sentence], tokens: int) -> None:
        self.tokens = tokens
        triples: Counter[tuple[int, int, int]] = Counter()
        pairs: Counter[tuple[int, int]] = Counter()
        for sentence in sentences:
            row = [START, *sentence, END]
            pairs[row[0], row[1]] += 1
            triples.update(zip(row, row[1:], row[2:], strict=False))
        self.triples = triples
        # What follows many different words is likelier after a new one: lower orders count kinds.
        for _, second, third in triples:
            pairs[second, third] += 1
        self.pairs = pairs
        singles: Counter[int] = Counter(second for _, second in pairs)
        self._size = sum(triples.values()) + 1
        self._single_total = sum(singles.values())
        self._singles = singles
        self._discounts = [_discount(counts.values()) for counts in (singles, pairs, triples)]
        self._pair_rest = _totals((pair[:1], count) for pair, count in pairs.items())
        self._triple_rest = _totals((triple[:2], count) for triple, count in triples.items())

    def single(self, token: int) -> float:
        """P(token)."""
        if not self._single_total:
            return 1 / self.tokens
        discount = self._discounts[0]
        left = discount * len(self._singles) / self._single_total
        kept = max(self._singles[token] - discount, 0) / self._single_total
        return kept + left / self.tokens

    def pair(self, before: int, token: int, single: float) -> float:
        """P(token | before), given P(token)."""
        total, kinds = self._pair_rest.get((before,), (0, 0))
        if not total:
            return single
        discount = self._discounts[1]
        kept = max(self.pairs.get((before, token), 0) - discount, 0) / total
        return kept + discount * kinds / total * single

    def triple(self, first: int, second: int, token: int, pair: float) -> float:
        """P(token | first second), given P(token | second)."""
        total, kinds = self._triple_rest.get((first, second), (0, 0))
        if not total:
            return pair
        discount = self._discounts[2]
        kept = max(self.triples.get((first, second, token), 0) - discount, 0) / total
        return kept + discount * kinds / total * pair

    def context(self, *tokens: int) -> float:
        """How often a row of one or two tokens stands before another, of all places; above 0."""
        table = self._pair_rest if len(tokens) == 1 else self._triple_rest
        return (table.get(tokens, (0, 0))[0] + _UNSEEN) / self._size


def perplexity(
    sources: Sequence[Source], shares: Sequence[float], sentences: Iterable[Sentence]
) -> float:
    """How many tokens the mixture wavers between, on sentences that it has not counted."""
    logs = []
    for row in ([START, *sentence, END] for sentence in sentences):
        for place in range(1, len(row)):
            single = [source.single(row[place]) for source in sources]
            pair = [
                s.pair(row[place - 1], row[place], p) for s, p in zip(sources, single, strict=True)
            ]
            context = row[max(0, place - 2) : place]
            parts = pair
            if place > 1:
                parts = [
                    s.triple(*context, row[place], p) for s, p in zip(sources, pair, strict=True)
                ]
            logs.append(math.log(np.dot(_by_context(sources, shares, *context), parts)))
    return math.exp(-sum(logs) / len(logs))


def _by_context(sources: Sequence[Source], shares: Sequence[float], *context: int) -> list[float]:
    """The sources' shares after a context: by Bayes' rule, who says it often is likely to go on."""
    if context[-1] == START:
        return list(shares)
    weights = [
        share * source.context(*context) for source, share in zip(sources, shares, strict=True)
    ]
    total = sum(weights)
    return [weight / total for weight in weights]


def mix(sources: Sequence[Source], shares: Sequence[float], least: int) -> Trigram:
    """One back-off trigram of several sources.

    Args:
        sources: over the same tokens.
        shares: of each, summing to 1.
        least: triples seen less often, over all sources, are left to back off.
    """
    tokens = sources[0].tokens
    single = [[source.single(token) for token in range(tokens)] for source in sources]
    first = [
        sum(s * p for s, p in zip(shares, column, strict=True))
        for column in zip(*single, strict=True)
    ]
    triples: Counter[tuple[int, int, int]] = Counter()
    for source in sources:
        triples.update(source.triples)
    kept = [triple for triple, count in triples.items() if count >= least]
    pairs = {pair for source in sources for pair in source.pairs}
    pairs.update(pair for triple in kept for pair in (triple[:2], triple[1:]))
    parts = {
        (before, token): [
            s.pair(before, token, row[token]) for s, row in zip(sources, single, strict=True)
        ]
        for before, token in pairs
    }
    pair_chance = {
        pair: float(np.dot(_by_context(sources, shares, pair[0]), found))
        for pair, found in parts.items()
    }
    triple_chance = {
        (a, b, c): float(
            np.dot(
                _by_context(sources, shares, a, b),
                [source.triple(a, b, c, p) for source, p in zip(sources, parts[b, c], strict=True)],
            )
        )
        for a, b, c in kept
    }
    return _rows(first, pair_chance, triple_chance)


def _rows(
    first: list[float],
    pairs: dict[tuple[int, int], float],
    triples: dict[tuple[int, int, int], float],
) -> Trigram:
    """The arrays of a back-off model from its probabilities."""
    tokens = len(first)
    first_back = _left(tokens, ((before, p, first[token]) for (before, token), p in pairs.items()))
    ordered = sorted(pairs)
    place = {pair: index for index, pair in enumerate(ordered)}

    def lower(second: int, third: int) -> float:
        return pairs.get((second, third)) or first_back[second] * first[third]

    pair_back = _left(
        len(ordered), ((place[a, b], p, lower(b, c)) for (a, b, c), p in triples.items())
    )
    sorted_triples = sorted(triples)
    return Trigram(
        first=_logs(first),
        first_back=_logs(first_back),
        pair_starts=_starts((before for before, _ in ordered), tokens),
        pair_tokens=np.array([token for _, token in ordered], np.int32),
        pair_costs=_logs([pairs[pair] for pair in ordered]),
        pair_back=_logs(pair_back),
        triple_starts=_starts((place[a, b] for a, b, _ in sorted_triples), len(ordered)),
        triple_tokens=np.array([token for *_, token in sorted_triples], np.int32),
        triple_costs=_logs([triples[triple] for triple in sorted_triples]),
    )


def _left(contexts: int, seen: Iterable[tuple[int, float, float]]) -> list[float]:
    """Each context's back-off weight from (context, its probability, the lower order's)."""
    high, low = [1.0] * contexts, [1.0] * contexts
    for context, chance, lower in seen:
        high[context] -= chance
        low[context] -= lower
    return [
        min(1.0, max(_FLOOR, left) / max(_FLOOR, rest))
        for left, rest in zip(high, low, strict=True)
    ]


def _starts(contexts: Iterable[int], count: int) -> np.ndarray:
    found = np.bincount(np.fromiter(contexts, np.int64), minlength=count)
    return np.concatenate([[0], np.cumsum(found)]).astype(np.int32)


def _logs(chances: Sequence[float]) -> np.ndarray:
    return np.log(np.maximum(np.array(chances), _FLOOR)).astype(np.float32)


def _discount(counts: Iterable[int]) -> float:
    """Ney's estimate from how many n-grams were seen once and twice."""
    seen = Counter(counts)
    once, twice = seen[1], seen[2]
    return once / (once + 2 * twice) if once and twice else 0.5


def _totals(
    counts: Iterable[tuple[tuple[int, ...], int]],
) -> dict[tuple[int, ...], tuple[int, int]]:
    """Sum and number of the counts of each context."""
    sums: dict[tuple[int, ...], int] = defaultdict(int)
    kinds: dict[tuple[int, ...], int] = defaultdict(int)
    for context, count in counts:
        sums[context] += count
        kinds[context] += 1
    return {context: (total, kinds[context]) for context, total in sums.items()}
