"""The words that the phone head may hear and how they follow each other, counted from the grammars.

    python -m models.stt.recipe.language --data DIR --out models/stt/en

Draws sentences from the training half of the grammars (`texts`), counts words and word pairs, and
writes `language.npz` for `appliance.stt.phones`. Bigrams with absolute discounting (Ney et al.
1994), backed off to smoothed single words. Minutes on one core; deterministic under --seed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from . import texts
from .lexicon import Lexicon

_DISCOUNT = 0.4
CALLERS = Path(__file__).parent / "callers.en.txt"
# Kinds as callers would mix them; "words" only keeps every word possible. "callers" are the
# patterns of callers.en.txt.
KINDS = {
    "zip": 0.12, "digits": 0.05, "yesno": 0.08, "date": 0.10, "amount": 0.10, "time": 0.02,
    "name": 0.07, "call": 0.14, "words": 0.02, "callers": 0.30,
}  # fmt: skip
# Other ways to say a word than espeak-ng's.
OTHER_PHONES = {
    "the": ["ð ə", "ð ɪ", "ð iː"], "a": ["ə", "eɪ"], "to": ["t ə", "t uː"],
    "and": ["ə n d", "æ n d"],
    "yeah": ["j ɛ h", "j ɛ"], "i'm": ["aɪ m"], "of": ["ə v"],
}  # fmt: skip


def draw(count: int, seed: int) -> list[list[str]]:
    """Sentences of the training half, as words."""
    rng, source = random.Random(seed), texts.TextSource([], [])
    kinds = rng.choices(list(KINDS), weights=list(KINDS.values()), k=count)
    lines = CALLERS.read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    drawn = (
        texts.normalize(texts.expand(rng, rng.choice(patterns)))
        if kind == "callers"
        else source.draw(rng, kind)[1]
        for kind in kinds
    )
    return [text.split() for text in drawn if not texts.is_held_out(text)]


def count_language(sentences: list[list[str]], lexicon: Lexicon) -> dict[str, np.ndarray]:
    """The arrays of `appliance.stt.phones.Language`."""
    singles: Counter[str] = Counter(word for sentence in sentences for word in sentence)
    lexicon.add(set(singles))
    entries = [(word, phones) for word in sorted(singles) for phones in _phones(word, lexicon)]
    place: dict[str, list[int]] = defaultdict(list)
    for index, (word, _) in enumerate(entries):
        place[word].append(index)
    total, ends = sum(singles.values()), Counter(s[-1] for s in sentences if s)
    pairs: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for before, word in zip(["<s>", *sentence], sentence, strict=False):
            pairs[before][word] += 1
    first = np.array([np.log((singles[w] + 1) / (total + len(singles))) for w, _ in entries])
    starts, followers, costs, back_off = [0], [], [], []
    for context in [*(word for word, _ in entries), "<s>"]:
        seen = pairs.get(context, Counter())
        count = sum(seen.values()) + ends.get(context, 0)
        left = (_DISCOUNT * len(seen) + 0.5) / (count + 0.5)
        back_off.append(np.log(left))
        for word, times in sorted(seen.items()):
            share = max(times - _DISCOUNT, 0) / (count + 0.5) + left * np.exp(first[place[word][0]])
            for index in place[word]:
                followers.append(index)
                costs.append(np.log(share))
        starts.append(len(followers))
    last = [np.log((ends.get(w, 0) + 0.1) / (singles[w] + 0.1 * 10)) for w, _ in entries]
    return {
        "words": np.array("\n".join(word for word, _ in entries)),
        "phones": np.array("\n".join(phones for _, phones in entries)),
        "first": first.astype(np.float32),
        "back_off": np.array(back_off, np.float32),
        "starts": np.array(starts, np.int32),
        "followers": np.array(followers, np.int32),
        "costs": np.array(costs, np.float32),
        "last": np.array(last, np.float32),
    }


def _phones(word: str, lexicon: Lexicon) -> list[str]:
    return OTHER_PHONES.get(word) or [" ".join(lexicon.phones(word))]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with lexicon.json")
    parser.add_argument("--out", type=Path, required=True, help="model folder")
    parser.add_argument("--sentences", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    arrays = count_language(
        draw(args.sentences, args.seed), Lexicon(args.data / "lexicon.json", "en")
    )
    np.savez_compressed(args.out / "language.npz", **arrays)
    print(f"{len(arrays['first'])} words, {len(arrays['costs'])} pairs")


if __name__ == "__main__":
    main()
