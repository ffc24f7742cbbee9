from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.stt.recognizer import NO_HINT, Hint
from appliance.types import Transcript

SETS = {
    "open": [("i sent it last week", "flite:slt", "", ""), ("yes please", "espeak:en+f4", "", "")],
    "flows-zip": [("nine oh two one oh", "flite:slt", "zip", "5"),
                  ("one two three four five", "espeak:en+f4", "zip", "5")],
    "flows-yesno": [("yes that's right", "flite:slt", "yes_no", ""),
                    ("no", "flite:slt", "yes_no", "")],
    "real-digits": [("four", "fsdd-lucas", "", "1"), ("nine", "fsdd-lucas", "", "1")],
    "real-zip": [("one two three four five", "lucas", "zip", "5"),
                 ("five five five five five", "lucas", "zip", "5")],
    "real-zip-again": [("one two three four five", "lucas", "zip", "5"),
                       ("five five five five five", "lucas", "zip", "5")],
    "real-books": [("it was the best of times", "ls-26", "", "")],
}  # fmt: skip


class Knowing:
    """Knows an utterance by its pitch, whatever the line did to it: number n sounds at 400+30n Hz.

    Args:
        texts: what it says of each number.
    """

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.hints: list[Hint] = []

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        self.hints.append(hint)
        wave = np.frombuffer(pcm, "<i2").astype(float)
        spectrum = np.abs(np.fft.rfft(wave))
        places = np.fft.rfftfreq(len(wave), 1 / 8000)
        band = places > 390
        number = round((places[band][spectrum[band].argmax()] - 400) / 30)
        peak = spectrum[band].max() / (spectrum[band].mean() + 1e-9)
        heard = peak > 25 and 0 <= number < len(self.texts)
        return Transcript(self.texts[number] if heard else "", 0.9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sets of SETS; each utterance is a tone whose pitch tells which it is."""
    number = 0
    for name, rows in SETS.items():
        (tmp_path / name).mkdir()
        lines = ["file\ttext\tspeaker\tslot\tdigits"]
        for place, row in enumerate(rows):
            path = f"{name}/{place}.wav"
            pitch = 400 + 30 * number
            wave = 0.3 * np.sin(2 * np.pi * pitch * np.arange(16000) / 8000)
            soundfile.write(tmp_path / path, wave, 8000)
            lines.append("\t".join((path, *row)))
            number += 1
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


@pytest.fixture
def said() -> list[str]:
    return [row[0] for rows in SETS.values() for row in rows]
