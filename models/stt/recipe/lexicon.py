"""Words to phones by espeak-ng: the targets of the phone CTC head.

Phones are those of one espeak-ng voice a language, without stress marks; a word has one
pronunciation. That is enough for the loss and keeps a head at about 60 outputs.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from appliance.stt.espeak import split_phones

from .spanish.spoken import respell

VOICES = {"en": "en-us", "es": "es-419"}
# What espeak-ng says for single letters differs from what callers say in "a m".
_FIXED = {
    "en": {"a": ["ə"], "mm": ["m"], "hmm": ["h", "m"], "uh": ["ʌ"], "huh": ["h", "ʌ"]},
    "es": {"y": ["i"], "mm": ["m"], "mmm": ["m"], "eh": ["e"]},
}


class Lexicon:
    """Looks words up, asking espeak-ng once for each new one, cached in a JSON file."""

    def __init__(self, cache: Path, language: str) -> None:
        self._cache, self._language = cache, language
        self._words: dict[str, list[str]] = json.loads(cache.read_text()) if cache.exists() else {}
        self._words.update(_FIXED[language])

    def add(self, words: set[str]) -> None:
        """Looks up all words that are new, a few hundred a run of espeak-ng.

        Raises:
            RuntimeError: espeak-ng returned another number of words than it was given.
        """
        new = sorted(words - self._words.keys())
        for start in range(0, len(new), 400):
            part = new[start : start + 400]
            done = subprocess.run(
                ["espeak-ng", "-q", "--ipa", "--sep=_", "-v", VOICES[self._language], "--stdin"],
                input="\n\n".join(map(self._spoken, part)) + "\n",
                capture_output=True,
                check=True,
                text=True,
            )
            lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
            if len(lines) != len(part):
                raise RuntimeError(f"espeak-ng gave {len(lines)} lines for {len(part)} words")
            for word, line in zip(part, lines, strict=True):
                self._words[word] = split_phones(line, self._language)
        if new:
            self._cache.write_text(json.dumps(self._words, ensure_ascii=False))

    def _spoken(self, word: str) -> str:
        """A word as the voice gets it: English words respelled for a Spanish one."""
        return respell(word) if self._language == "es" else word

    def phones(self, text: str) -> list[str]:
        """The phones of a sentence whose words were added."""
        return [phone for word in text.split() for phone in self._words[word]]

    def inventory(self) -> list[str]:
        """All phones in use, sorted."""
        return sorted({phone for phones in self._words.values() for phone in phones})
