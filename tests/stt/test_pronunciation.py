"""Names and prompts from one espeak-ng."""

import threading
from pathlib import Path
from typing import Any

import pytest
from piper import PiperVoice
from piper.phonemize_espeak import EspeakPhonemizer

from appliance.stt.phones import load_head
from appliance.stt.pronunciation import pronounce
from appliance.tts import piper
from appliance.tts.casting import Cast

ROOT = Path(__file__).resolve().parents[2]
EN = {phone: at for at, phone in enumerate(load_head(ROOT / "models/stt/en/ctc.npz").phones)}


def test_phones_of_a_name() -> None:
    assert pronounce("maria", "en", EN) == ("m", "ɚ", "ɹ", "iː", "ə")
    assert pronounce("maria", "es", dict.fromkeys("maɾj", 1)) == tuple("maɾja")
    assert pronounce("maria", "en", {"m": 1}) == (), "a phone that the head lacks"


def test_name_and_prompt_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """espeak-ng has one voice for the process: a name may not change it within a prompt."""
    met = threading.Barrier(2)
    plain = EspeakPhonemizer.phonemize

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        met.wait(0.5)  # passes only where two are inside at once
        return plain(self, *args, **kwargs)

    broken = []

    def run(work: Any) -> None:
        try:
            work()
        except threading.BrokenBarrierError:
            broken.append(work)

    voice: PiperVoice = piper._load(Cast("", ROOT / "models/voice/en/kathleen.onnx", "en"), 1)
    monkeypatch.setattr(EspeakPhonemizer, "phonemize", watched)
    threads = [
        threading.Thread(target=run, args=(lambda: voice.phonemize("hello there"),)),
        threading.Thread(target=run, args=(lambda: pronounce("maria", "en", EN),)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(broken) == 2
