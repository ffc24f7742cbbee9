"""The words that the phone head may hear and how they follow each other, counted from text.

    python -m models.stt.recipe.language --language en --data DIR --out models/stt/en [--nlu DIR]

    grammar draws, lines of the intent model, general sentences, transcripts, public intent sets
        -> classes for names -> a trigram a source (`ngrams`) -> mixed as held-out lines fit best
        -> language.npz (`appliance.stt.language`), with a small trigram for each slot beside it

Never reads the intent model's held-out lines: they judge the recognizer. One in 25 of its training
lines, and of the general sentences, is left out of every count: the shares of the sources and the
weights of the search are fitted on them. A minute or two on one core; deterministic under --seed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appliance.checksums import SUMS, write_checksums
from appliance.stt.language import END, START, Language, Trigram, save_language

from . import lines, shards, synth, texts
from .english import names as english_names
from .lexicon import Lexicon
from .ngrams import Source, mix, perplexity
from .spanish import names as spanish_names

Words = list[str]

_MARKS = ("<s>", "</s>", "<unk>", "<first>", "<last>")
_UNKNOWN = _MARKS.index("<unk>")
_READINGS = 8  # of one line of the intent model
# How likely the next caller's sentence is of each kind; chosen by the perplexities below.
_SHARES = {"grammar": 0.3, "intents": 0.45, "general": 0.1, "transcripts": 0.07, "public": 0.08}
_LEAST = {"grammar": 3, "transcripts": 2, "public": 4}  # a rarer word of these stays out
_SLOT_KINDS = {
    "zip": ("zip",), "digits": ("digits",), "yes_no": ("yesno",), "date": ("date",),
    "amount": ("amount",), "time": ("time",), "name": ("name",), "address": ("address",),
    "phone": ("phone", "digits"),
}  # fmt: skip
_SLOT_DRAWS = 20_000
_NOT_CALLERS = ("words", "general", "corpus", "intent", "everyday")
# Names that are as often something else; a grammar's sentence has them as names all the same.
_AMBIGUOUS = frozenset(
    (  # noqa: SIM905
        "may april june august will mark rose grace bill art gene dawn hope joy faith frank jack "
        "pat sue rob drew chase ray dale dean wade grant summer autumn young long king page price "
        "brown white black green gray wood woods stone rivers banks hill fields park parks street "
        "day knight bush rice cook baker miller carter cooper turner walker bell ward wright rich "
        "love little best cruz campos flores rosa paz sol mercedes pilar luz rey ramos santos leon "
        "guerra rojas don victor angel jesus mar reyes rivera mora silva"
    ).split()
)
_NEVER_SURE = frozenset(("may", "will", "mark"))
# Other ways to say a word than espeak-ng's.
_OTHER_PHONES = {
    "en": {
        "the": ["ð ə", "ð ɪ", "ð iː"], "a": ["ə", "eɪ"], "to": ["t ə", "t uː"],
        "and": ["ə n d", "æ n d"], "yeah": ["j ɛ h", "j ɛ"], "i'm": ["aɪ m"], "of": ["ə v"],
    },
    "es": {},
}  # fmt: skip


@dataclass(frozen=True)
class Texts:
    """All sentences of one language as words, by source and by slot, and those left out."""

    sources: dict[str, list[Words]]
    slots: dict[str, list[Words]]
    held_out: dict[str, list[Words]]


def gather(language: str, data: Path, nlu: Path | None, count: int, seed: int) -> Texts:
    """Draw and read everything that is counted.

    Args:
        language: "en" or "es".
        data: the folder of shards, for the transcripts of its corpora.
        nlu: folder of the public intent sets, or None to do without.
        count: sentences to draw from the grammars.
        seed: of the draws.
    """
    rng = random.Random(seed)
    held_out: dict[str, list[Words]] = {"grammar": [], "intents": [], "general": []}
    sources = {
        "grammar": _draw(rng, language, None, count, held_out["grammar"]),
        "intents": _intents(rng, language, held_out["intents"]),
        "general": _kept(lines.general_sentences(language), language, held_out["general"]),
        "transcripts": _transcripts(data),
        "public": [text.split() for text in synth.load_sentences(None, nlu)],
    }
    return Texts(
        {name: found for name, found in sources.items() if found},
        {slot: _draw(rng, language, slot, _SLOT_DRAWS, []) for slot in _SLOT_KINDS},
        held_out,
    )


def _draw(
    rng: random.Random, language: str, slot: str | None, count: int, held_out: list[Words]
) -> list[Words]:
    """Sentences of the grammars' training part: those of a slot, or all as callers mix them."""
    weights = dict(texts.grammar(language).weights)
    kinds = [kind for kind in weights if kind not in _NOT_CALLERS]
    if slot:
        kinds = [kind for kind in kinds if kind in _SLOT_KINDS[slot]]
    if not kinds:
        return []
    source = texts.TextSource([], [], language)
    drawn = (
        source.draw(rng, kind)[1]
        for kind in rng.choices(kinds, [weights[kind] for kind in kinds], k=count)
    )
    found: list[Words] = []
    for text in drawn:
        target = held_out if texts.is_held_out(text) else found
        target.append(_classed(text.split(), language, True))
    return found


def _intents(rng: random.Random, language: str, held_out: list[Words]) -> list[Words]:
    found = []
    for line in lines.intent_lines(language):
        drawn = {texts.normalize(lines.expand(rng, line), language) for _ in range(_READINGS)} - {
            ""
        }
        target = held_out if texts.is_left_out(line) else found
        target += [_classed(text.split(), language, False) for text in sorted(drawn)]
    return found


def _kept(sentences: tuple[str, ...], language: str, held_out: list[Words]) -> list[Words]:
    found = []
    for text in (texts.normalize(sentence, language) for sentence in sentences):
        target = held_out if texts.is_held_out(text) else found
        target.append(_classed(text.split(), language, False))
    return [words for words in found if words]


def _transcripts(data: Path) -> list[Words]:
    """The different sentences of the training corpora."""
    paths = shards.list_shards(data / "train", "real-*")
    found = {
        str(row[0]) for path in paths for row in json.loads(path.with_suffix(".json").read_text())
    }
    return [text.split() for text in sorted(found) if len(text.split()) > 1]


def _classed(words: Words, language: str, sure: bool) -> Words:
    """With first and last names replaced by their classes; ambiguous ones only where `sure`."""
    found: Words = []
    for word in words:
        name = word in _first(language) or word in _last(language)
        if not name or (word in _AMBIGUOUS and (not sure or word in _NEVER_SURE)):
            found.append(word)
        elif word in _last(language) and (
            found[-1:] == ["<first>"] or word not in _first(language)
        ):
            found.append("<last>")
        else:
            found.append("<first>")
    return found


def _first(language: str) -> set[str]:
    return _NAMES[language][0]


def _last(language: str) -> set[str]:
    return _NAMES[language][1]


_NAMES = {
    "en": (set(english_names.FIRST), set(english_names.LAST)),
    "es": (set(spanish_names.FIRST), set(spanish_names.LAST)),
}


def vocabulary(found: Texts) -> list[str]:
    """The tokens: marks and classes first, then words by the alphabet."""
    words: set[str] = set()
    for name, sentences in found.sources.items():
        counts = Counter(word for sentence in sentences for word in sentence)
        words |= {word for word, times in counts.items() if times >= _LEAST.get(name, 1)}
    return [*_MARKS, *sorted(words - set(_MARKS))]


def count_language(found: Texts, language: str, lexicon: Lexicon, least: int) -> Language:
    """The language with its slots; prints the sources' shares and the perplexity."""
    tokens = vocabulary(found)
    place = {word: index for index, word in enumerate(tokens)}

    def numbered(sentences: list[Words]) -> list[list[int]]:
        return [[place.get(word, _UNKNOWN) for word in sentence] for sentence in sentences]

    sources = {
        name: Source(numbered(sentences), len(tokens)) for name, sentences in found.sources.items()
    }
    total = sum(_SHARES[name] for name in sources)
    shares = [_SHARES[name] / total for name in sources]
    for name, share in zip(sources, shares, strict=True):
        print(f"  {name:12} {len(found.sources[name]):7} sentences, share {share:.3f}")
    for name, sentences in found.held_out.items():
        left_out = perplexity(list(sources.values()), shares, numbered(sentences))
        print(f"  perplexity of what was left out, {name}: {left_out:.1f}")
    order = mix(list(sources.values()), shares, least)
    slots = {
        slot: mix([Source(numbered(sentences), len(tokens))], [1.0], 2)
        for slot, sentences in found.slots.items()
        if sentences
    }
    return _entries(tokens, language, lexicon, order, slots)


def _entries(
    tokens: list[str], language: str, lexicon: Lexicon, order: Trigram, slots: dict[str, Trigram]
) -> Language:
    """Every word in each way to say it, and the names once more within their classes."""
    place = {word: index for index, word in enumerate(tokens)}
    classes = dict(zip(("first", "last"), (sorted(each) for each in _NAMES[language]), strict=True))
    plain = [(word, place[word], 0.0) for word in tokens[len(_MARKS) :]]
    named = [
        (word, place[f"<{name}>"], -float(np.log(len(members))))
        for name, members in classes.items()
        for word in members
    ]
    lexicon.add({word for word, *_ in [*plain, *named]})
    rows = [
        (word, token, inside, phones)
        for word, token, inside in [*plain, *named]
        for phones in _OTHER_PHONES[language].get(word) or [" ".join(lexicon.phones(word))]
    ]
    return Language(
        words=tuple(word for word, *_ in rows),
        phones=tuple(tuple(phones.split()) for *_, phones in rows),
        token=np.array([token for _, token, *_ in rows], np.int32),
        inside=np.array([inside for _, _, inside, _ in rows], np.float32),
        order=order,
        classes={name: place[f"<{name}>"] for name in classes},
        slots=slots,
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=("en", "es"), default="en")
    parser.add_argument("--data", type=Path, required=True, help="shards and lexicon.json")
    parser.add_argument("--out", type=Path, required=True, help="model folder")
    parser.add_argument("--nlu", type=Path, help="folder of the public intent sets")
    parser.add_argument("--sentences", type=int, default=200_000)
    parser.add_argument("--least", type=int, default=2, help="triples seen less often are dropped")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    assert (_MARKS[START], _MARKS[END]) == ("<s>", "</s>")
    found = gather(args.language, args.data, args.nlu, args.sentences, args.seed)
    lexicon = Lexicon(args.data / "lexicon.json", args.language)
    language = count_language(found, args.language, lexicon, args.least)
    save_language(args.out / "language.npz", language)
    if (args.out / SUMS).is_file():
        write_checksums(args.out)
    order = language.order
    print(f"{len(language.words)} words, {len(order.pair_costs)} pairs, ", end="")
    print(f"{len(order.triple_costs)} triples, {len(language.slots)} slots")


if __name__ == "__main__":
    main()
