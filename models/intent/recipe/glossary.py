"""Which English words stand for a Spanish word: where the Spanish rows of the word table begin.

    frequent words (wordfreq) + words of our examples -> apertium spa-eng -> glossary.es.tsv

Needs `pip install wordfreq` and Debian's apertium-en-es. Its result is committed, so that nobody
else needs them.

    python -m models.intent.recipe.glossary
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from appliance.dialogue.letters import fold
from appliance.training.examples import read_examples

HERE = Path(__file__).parent
GLOSSARY = HERE / "glossary.es.tsv"
BY_HAND = HERE / "glossary.hand.tsv"
"""What apertium does not know, or has another meaning for on the telephone."""
FREQUENT = 8000
"""Of the most frequent words of Spanish."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=Path, default=HERE.parent / "data" / "train")
    parser.add_argument("--output", type=Path, default=GLOSSARY)
    given = parser.parse_args()
    from wordfreq import top_n_list

    words = [word for word in top_n_list("es", FREQUENT) if word.isalpha() and len(word) > 1]
    for example in read_examples(given.examples, "es"):
        words += [word for word in split(example.text) if word.isalpha() and len(word) > 1]
    glosses = {}
    for word, gloss in translated(list(dict.fromkeys(words))):
        if gloss and fold(gloss) != fold(word):  # apertium gives back what it does not know
            glosses.setdefault(fold(word), gloss)
    glosses |= dict(line.split("\t") for line in BY_HAND.read_text("utf-8").splitlines())
    lines = [f"{word}\t{gloss}\n" for word, gloss in sorted(glosses.items())]
    given.output.write_text("".join(lines), "utf-8")
    print(f"{given.output}: {len(lines)} words of {len(words)}")


def split(text: str) -> list[str]:
    """Words in lower case."""
    return "".join(each if each.isalpha() else " " for each in text.lower()).split()


def translated(texts: list[str], direction: str = "spa-eng") -> list[tuple[str, str]]:
    """Each text with its translation, lower case.

    Raises:
        SystemExit: apertium is missing, or lost a line.
    """
    source = "\n\n".join(f"{text} ." for text in texts)
    try:
        run = subprocess.run(
            ["apertium", "-u", direction], input=source, capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise SystemExit("apertium is missing: apt-get install apertium-en-es") from error
    found = [line.rstrip(" .").strip().lower() for line in run.stdout.split("\n\n")]
    if len(found) != len(texts):
        raise SystemExit(f"apertium gave {len(found)} lines for {len(texts)}")
    return list(zip(texts, found, strict=True))


if __name__ == "__main__":
    main()
