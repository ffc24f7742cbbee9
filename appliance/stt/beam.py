"""The beam search over phones, compiled: what `stt.search` calls for each utterance.

    frame by frame, for every prefix in the beam
        stay:   a blank, or the last phone once more
        go on:  each phone that continues a word in the tree of words
        end:    the phone completes a word: the trigram says what it costs, the next one begins
    then only the best `beam` prefixes within `width` of the best one are kept

This is CTC prefix search (Graves 2008, section 7.5; Hannun et al. 2014) over a tree of words
(Ney et al. 1992). A prefix is the words so far and a place in the tree. It has two
probabilities, of having just ended in a blank or in its last phone, because CTC tells "c c" from
"c" by the blank between; all alignments of one prefix are summed. A prefix inside a word carries
the likeliest word below its place as an estimate of what that word will cost (unigram
look-ahead). Words of one prefix are a row of parents in `History`; each holds the trigram's states.

Everything here runs without the interpreter's lock and holds no state between calls. Natural
logarithms throughout. Do not put anything here that needs Python objects.
"""

# mypy: disable-error-code="no-any-return,return-value"
# ruff: noqa: PLR0913, PLR0917  (compiled functions inline; bundles of arguments would be allocated)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from appliance.stt.compiling import compiled
from appliance.stt.language import END, START, Floats, Ints, Trigram

_NEVER = -1e30
_ROOT = 0
_MOST_PREFIXES = 1 << 13  # of one frame, before the best are picked
_PLACES = 1 << 15  # of the table of one frame's prefixes; a power of two
_FEW_HISTORIES = 1 << 14  # of one utterance, to begin with; a power of two
_MOST_HISTORIES = 1 << 19  # 28 s of speech in loud babble take 135,000 (measured)
_SPARE_HISTORIES = 1 << 13  # for one frame; loud babble takes up to 3,300
_FAINTEST = -9.0  # log-probability: a phone below it is not followed
_TURN = 0.1  # probability that a caller leaves the question, or comes back to it, at a word
_CUT = -8.0  # what it costs that the last word breaks off
_MOST_WORDS = 96  # of one utterance


class Tree(NamedTuple):
    """The words as a tree of phones; node 0 is the root, -1 stands for none.

    Attributes:
        phone: the head's place of each node's phone [nodes].
        child: each node's first child [nodes].
        sibling: the next child of the same parent [nodes].
        entry: the first word that ends at each node [nodes].
        next_entry: the next word that ends at the same node [E].
        token: each word's token of the trigram [E].
        inside: each word's log-probability within its token [E].
        ahead: log-probability of the likeliest word at or below each node [nodes].
    """

    phone: Ints
    child: Ints
    sibling: Ints
    entry: Ints
    next_entry: Ints
    token: Ints
    inside: Floats
    ahead: Floats


class Knobs(NamedTuple):
    """What weighs how much.

    Attributes:
        weight: of the trigram against the sound.
        bonus: added for each word, against the search's liking for few words.
        look: of the look-ahead against `weight`, 0..1.
        shared: cost of a phone that ends one word and begins the next.
        share: probability that the next word is an answer to the slot, 0..1; 0: no slot.
        beam: prefixes kept a frame.
        width: how far below the best a prefix may be.
        nothing: what it costs that no word was said.
    """

    weight: float
    bonus: float
    look: float
    shared: float
    share: float
    beam: int
    width: float
    nothing: float


class _History(NamedTuple):
    """Rows of words: parent, word, trigram states, the slot's share, cost, last phone of each."""

    parent: Ints
    entry: Ints
    general: Ints
    slot: Ints
    share: Floats
    cost: Floats
    phone: Ints
    keys: NDArray[np.int64]
    values: Ints
    used: Ints


class _Prefixes(NamedTuple):
    """The prefixes of one frame, and a table that finds them by history and node."""

    history: Ints
    node: Ints
    blank: Floats
    phone: Floats
    score: Floats
    keys: NDArray[np.int64]
    values: Ints
    stamps: Ints
    used: Ints


@compiled
def _add_logs(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    if b < a - 15.0:
        return a
    return a + np.log1p(np.exp(b - a))


@compiled
def _find(tokens: Ints, start: int, end: int, wanted: int) -> int:
    """The place of `wanted` in a sorted part of `tokens`; -1 where it is not."""
    stop = end
    while start < end:
        middle = (start + end) >> 1
        if tokens[middle] < wanted:
            start = middle + 1
        else:
            end = middle
    return start if start < stop and tokens[start] == wanted else -1


@compiled
def _follow(order: Trigram, state: int, token: int) -> tuple[float, int]:
    """Log-probability of `token` after `state`, and the state after it.

    A state is a token (no pair is known) or, counted from the number of tokens, a pair.
    """
    tokens = len(order.first)
    cost, before = 0.0, state
    if state >= tokens:
        pair = state - tokens
        place = _find(
            order.triple_tokens, order.triple_starts[pair], order.triple_starts[pair + 1], token
        )
        before = order.pair_tokens[pair]
        if place >= 0:
            cost = order.triple_costs[place]
            pair = _find(
                order.pair_tokens, order.pair_starts[before], order.pair_starts[before + 1], token
            )
            return cost, (tokens + pair if pair >= 0 else token)
        cost = order.pair_back[pair]
    pair = _find(order.pair_tokens, order.pair_starts[before], order.pair_starts[before + 1], token)
    if pair >= 0:
        return cost + order.pair_costs[pair], tokens + pair
    return cost + order.first_back[before] + order.first[token], token


@compiled
def _mixed(general: float, slot: float, share: float, first: float) -> tuple[float, float]:
    """The cost of a word of which two trigrams are to say, and the slot's share after it.

    Whether the caller answers the question is a hidden state: each word makes one of the trigrams
    likelier (Bayes' rule), and now and then a caller goes over from one to the other.
    """
    one, other = np.log(1.0 - share) + general, np.log(share) + slot
    cost = _add_logs(one, other)
    return cost, (1.0 - _TURN) * np.exp(other - cost) + _TURN * first


@compiled
def _history_place(keys: NDArray[np.int64], key: int) -> int:
    """Where a key is in a table, or where it belongs; at most a quarter of the table is full."""
    last = len(keys) - 1
    place = (key * np.int64(0x9E3779B97F4A7C1)) >> 20 & last
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & last
    return place


@compiled
def _word_end(
    histories: _History, parent: int, entry: int, tree: Tree, orders: tuple[Trigram, Trigram],
    knobs: Knobs,
) -> int:  # fmt: skip
    """The history of `parent` and one word more; -1 where there are too many."""
    key = np.int64(parent) * len(tree.token) + entry + 1
    place = _history_place(histories.keys, key)
    if histories.keys[place] == key:
        return histories.values[place]
    found = histories.used[0]
    if found == len(histories.parent):
        return -1
    histories.used[0] = found + 1
    histories.keys[place], histories.values[place] = key, found
    token = tree.token[entry]
    cost, general = _follow(orders[0], histories.general[parent], token)
    slot, share = 0, 0.0
    if knobs.share > 0:
        other, slot = _follow(orders[1], histories.slot[parent], token)
        cost, share = _mixed(cost, other, histories.share[parent], knobs.share)
    histories.share[found] = share
    histories.parent[found], histories.entry[found] = parent, entry
    histories.general[found], histories.slot[found] = general, slot
    cost = knobs.weight * (cost + tree.inside[entry]) + knobs.bonus
    histories.cost[found] = histories.cost[parent] + cost
    return found


@compiled
def _place(prefixes: _Prefixes, history: int, node: int, stamp: int) -> int:
    """The prefix of a history at a node, made if it is new; -1 where there are too many."""
    key = np.int64(history) << 24 | node
    place = (key * np.int64(0x9E3779B97F4A7C1)) >> 20 & (_PLACES - 1)
    while prefixes.stamps[place] == stamp:
        if prefixes.keys[place] == key:
            return prefixes.values[place]
        place = (place + 1) & (_PLACES - 1)
    found = prefixes.used[0]
    if found == _MOST_PREFIXES:
        return -1
    prefixes.used[0] = found + 1
    prefixes.keys[place], prefixes.values[place], prefixes.stamps[place] = key, found, stamp
    prefixes.history[found], prefixes.node[found] = history, node
    prefixes.blank[found] = prefixes.phone[found] = _NEVER
    return found


@compiled
def _stay(
    old: _Prefixes, new: _Prefixes, frame: Floats, histories: _History, tree: Tree, stamp: int
) -> float:
    """Every prefix with a blank or its last phone again; returns the best score."""
    best = _NEVER
    for each in range(old.used[0]):
        history, node = old.history[each], old.node[each]
        place = _place(new, history, node, stamp)
        last = tree.phone[node] if node else histories.phone[history]
        new.blank[place] = _add_logs(old.blank[each], old.phone[each]) + frame[0]
        if last >= 0:
            new.phone[place] = old.phone[each] + frame[last]
        best = max(best, _add_logs(new.blank[place], new.phone[place]) + old.score[each])
    return best


@compiled
def _end_words(
    new: _Prefixes, histories: _History, tree: Tree, orders: tuple[Trigram, Trigram], knobs: Knobs,
    history: int, node: int, sound: float, stamp: int, best: float,
) -> None:  # fmt: skip
    """The words that end at a node, with the next word to begin."""
    entry = tree.entry[node]
    while entry >= 0:
        ended = _word_end(histories, history, entry, tree, orders, knobs)
        if ended >= 0 and sound + histories.cost[ended] > best - knobs.width:
            histories.phone[ended] = tree.phone[node]
            place = _place(new, ended, _ROOT, stamp)
            if place >= 0:
                new.phone[place] = _add_logs(new.phone[place], sound)
        entry = tree.next_entry[entry]


@compiled
def _go_on(
    old: _Prefixes, new: _Prefixes, frame: Floats, histories: _History, tree: Tree,
    orders: tuple[Trigram, Trigram], knobs: Knobs, stamp: int, best: float,
) -> None:  # fmt: skip
    """Every prefix with each phone that may follow it."""
    look, loudest = knobs.weight * knobs.look, frame[1:].max()
    for each in range(old.used[0]):
        history, node = old.history[each], old.node[each]
        last = tree.phone[node] if node else histories.phone[history]
        total = _add_logs(old.blank[each], old.phone[each])
        if total + loudest + histories.cost[history] < best - knobs.width:
            continue
        again = old.blank[each]
        if not node:
            again = _add_logs(again, old.phone[each] - knobs.shared)
        child = tree.child[node]
        while child >= 0:
            phone, at = tree.phone[child], child
            child = tree.sibling[child]
            if frame[phone] < _FAINTEST:
                continue
            sound = (again if phone == last else total) + frame[phone]
            guess = sound + histories.cost[history] + look * tree.ahead[at]
            if guess < best - knobs.width:
                continue
            if tree.child[at] >= 0:
                place = _place(new, history, at, stamp)
                if place >= 0:
                    new.phone[place] = _add_logs(new.phone[place], sound)
                    best = max(best, guess)
            _end_words(new, histories, tree, orders, knobs, history, at, sound, stamp, best)


@compiled
def _keep_best(
    new: _Prefixes, old: _Prefixes, histories: _History, tree: Tree, knobs: Knobs
) -> None:
    """Copies the best prefixes of `new` to `old`, with their scores apart from the sound."""
    count = new.used[0]
    look = knobs.weight * knobs.look
    best = _NEVER
    for each in range(count):
        rest = histories.cost[new.history[each]]
        if new.node[each]:
            rest += look * tree.ahead[new.node[each]]
        new.score[each] = _add_logs(new.blank[each], new.phone[each]) + rest
        best = max(best, new.score[each])
    least, ties = best - knobs.width, count
    if count > knobs.beam:
        last = np.partition(new.score[:count], count - knobs.beam)[count - knobs.beam]
        if last >= least:
            least, ties = last, knobs.beam
            for each in range(count):
                ties -= new.score[each] > least
    kept = 0
    for each in range(count):
        if new.score[each] == least:
            ties -= 1
        if new.score[each] > least or (new.score[each] == least and ties >= 0):
            old.history[kept], old.node[kept] = new.history[each], new.node[each]
            old.blank[kept], old.phone[kept] = new.blank[each], new.phone[each]
            sound = _add_logs(new.blank[each], new.phone[each])
            old.score[kept] = new.score[each] - sound
            kept += 1
    old.used[0] = kept


@compiled
def _finish(
    old: _Prefixes, histories: _History, orders: tuple[Trigram, Trigram], knobs: Knobs
) -> Floats:
    """Scores of the prefixes as whole sentences; a word that is not at its end is left out."""
    scores = np.empty(old.used[0], np.float32)
    for each in range(old.used[0]):
        history = old.history[each]
        sound = _add_logs(old.blank[each], old.phone[each])
        if old.node[each]:
            sound += _CUT
        if history == 0:
            scores[each] = sound + knobs.nothing
            continue
        cost, _ = _follow(orders[0], histories.general[history], END)
        if knobs.share > 0:
            other, _ = _follow(orders[1], histories.slot[history], END)
            cost, _ = _mixed(cost, other, histories.share[history], knobs.share)
        scores[each] = sound + histories.cost[history] + knobs.weight * cost
    return scores


@compiled
def _new_prefixes(count: int) -> _Prefixes:
    return _Prefixes(
        np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.float32),
        np.empty(count, np.float32), np.empty(count, np.float32), np.empty(_PLACES, np.int64),
        np.empty(_PLACES, np.int32), np.zeros(_PLACES, np.int32), np.zeros(1, np.int32),
    )  # fmt: skip


@compiled
def _new_histories(count: int) -> _History:
    return _History(
        np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.int32),
        np.empty(count, np.int32), np.empty(count, np.float32), np.empty(count, np.float32),
        np.empty(count, np.int32), np.zeros(4 * count, np.int64),
        np.empty(4 * count, np.int32), np.ones(1, np.int32),
    )  # fmt: skip


@compiled
def _twice(old: _History) -> _History:
    """The same histories in tables of twice the size: few turns need large ones, all pay for them.

    The last phone of a history changes, so nothing but the copy may be used from here on.
    """
    count = len(old.parent)
    new = _new_histories(2 * count)
    new.parent[:count], new.entry[:count], new.general[:count] = old.parent, old.entry, old.general
    new.slot[:count], new.share[:count], new.cost[:count] = old.slot, old.share, old.cost
    new.phone[:count] = old.phone
    new.used[0] = old.used[0]
    for each in range(len(old.keys)):
        if old.keys[each] != 0:
            place = _history_place(new.keys, old.keys[each])
            new.keys[place], new.values[place] = old.keys[each], old.values[each]
    return new


@compiled
def search(
    frames: Floats, tree: Tree, orders: tuple[Trigram, Trigram], knobs: Knobs, most: int
) -> tuple[Ints, Floats, Floats]:
    """The best rows of words for an utterance.

    Args:
        frames: log-probabilities of the phones [T, phones], the blank at 0.
        tree: the words.
        orders: the general trigram and the slot's; the second is used where `knobs.share` > 0.
        knobs: see there.
        most: how many rows to return at most.

    Returns:
        Entries of each row's words [rows, words], -1 behind the last; each row's sound
        (log-probability of the frames given its words) and score (with the trigram's), best first.
    """
    histories = _new_histories(_FEW_HISTORIES)
    old, new = _new_prefixes(_MOST_PREFIXES), _new_prefixes(_MOST_PREFIXES)
    histories.parent[0], histories.entry[0], histories.phone[0] = -1, -1, -1
    histories.general[0] = histories.slot[0] = START
    histories.cost[0], histories.share[0] = 0, knobs.share
    old.history[0], old.node[0], old.used[0] = 0, _ROOT, 1
    old.blank[0], old.phone[0], old.score[0] = 0, _NEVER, 0
    for at in range(len(frames)):
        if len(histories.parent) < min(histories.used[0] + _SPARE_HISTORIES, _MOST_HISTORIES):
            histories = _twice(histories)
        new.used[0] = 0
        best = _stay(old, new, frames[at], histories, tree, at + 1)
        _go_on(old, new, frames[at], histories, tree, orders, knobs, at + 1, best)
        _keep_best(new, old, histories, tree, knobs)
    scores = _finish(old, histories, orders, knobs)
    order = np.argsort(-scores)[:most]
    rows = np.full((len(order), _MOST_WORDS), -1, np.int32)
    sounds = np.empty(len(order), np.float32)
    row = 0
    for each in order:
        sounds[row] = _add_logs(old.blank[each], old.phone[each])
        _write_row(histories, old.history[each], rows[row])
        row += 1
    return rows[:row], sounds[:row], scores[order[:row]]


@compiled
def _write_row(histories: _History, history: int, row: Ints) -> None:
    """The words of a history, in order; the last ones of more than fit."""
    count, at = 0, history
    while at > 0 and count < len(row):
        count, at = count + 1, histories.parent[at]
    at = history
    for place in range(count - 1, -1, -1):
        row[place], at = histories.entry[at], histories.parent[at]
