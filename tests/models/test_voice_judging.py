"""The judging of voices as far as it is pure: pitch arithmetic, paired differences, targets."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.voice.recipe import prosody
from models.voice.recipe.dataset import Utterance, save_utterances
from models.voice.recipe.evaluate import language_of, one_take_each, originals_of
from models.voice.recipe.listening import difference, listen
from models.voice.recipe.recognition import telephone, telephone_band
from models.voice.recipe.targets import targets


class TestPitch:
    def test_spread_of_a_planted_contour(self) -> None:
        # Half the frames an octave above the others: ±6 semitones about the mean.
        contour = np.array([100, 200, 0, 100, 200], np.float32)
        found = prosody.spread([contour, contour])
        assert found["spread_st"] == pytest.approx(6.0, abs=1e-3)
        assert found["within_st"] == pytest.approx(6.0, abs=1e-3)

    def test_sentences_at_different_heights_spread_more_together_than_alone(self) -> None:
        flat = [np.full(50, hz, np.float32) for hz in (100, 200)]
        found = prosody.spread(flat)
        assert found["within_st"] == pytest.approx(0.0, abs=1e-3)
        assert found["spread_st"] == pytest.approx(6.0, abs=1e-3)

    def test_silence_is_left_out(self) -> None:
        contour = np.array([0, 0, 150, 150], np.float32)
        assert prosody.spread([contour, np.zeros(9, np.float32)])["median_hz"] == pytest.approx(150)

    @pytest.mark.parametrize(("end_hz", "semitones"), [(200, 12.0), (100, 0.0), (50, -12.0)])
    def test_tail_against_the_median(self, end_hz: float, semitones: float) -> None:
        contour = np.concatenate([np.full(200, 100.0), np.full(31, end_hz), np.zeros(20)])
        assert prosody.tail_above_median(contour.astype(np.float32)) == pytest.approx(semitones)

    def test_nothing_voiced(self) -> None:
        with pytest.raises(ValueError, match="nothing is voiced"):
            prosody.tail_above_median(np.zeros(40, np.float32))

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_questions_end_in_a_mark_and_are_as_many_as_promised(self, language: str) -> None:
        found = prosody.questions(language)
        assert [len(found["yes_no"]), len(found["word"])] == [20, 10]
        texts = found["yes_no"] + found["word"]
        assert len(set(texts)) == 30
        assert all(text.endswith("?") for text in texts)

    def test_a_rise_is_seen_against_the_statement(self, monkeypatch: pytest.MonkeyPatch) -> None:
        flat = np.full(200, 120.0, np.float32)

        def contour(audio: np.ndarray, low_hz: float, high_hz: float) -> np.ndarray:
            rises = audio[0] > 0
            return np.concatenate([flat, np.full(40, 180.0 if rises else 100.0, np.float32)])

        monkeypatch.setattr(prosody, "track", contour)
        asks = np.array([1.0], np.float32)
        found = prosody.asked(
            ["Is it you?", "Are you in?"], lambda text: asks if "?" in text else -asks, (60, 400)
        )
        assert found["rising"] == 1.0
        assert found["tail_st"] == pytest.approx(12 * np.log2(1.5), abs=1e-3)
        assert found["over_statement_st"] == pytest.approx(12 * np.log2(1.8), abs=1e-3)


class TestListening:
    def test_errors_by_source_and_band(self) -> None:
        texts = ["one two three", "four five"]
        time = np.arange(16000) / 16000
        audio = [0.1 * np.sin(2 * np.pi * hz * time).astype(np.float32) for hz in (500, 1500)]
        hears = {"a": lambda audio: texts[int((audio[1:] * audio[:-1] < 0).sum() > 2000)]}
        found = listen(hears, texts, {"recordings": audio[::-1], "voice": audio}, "en")
        wide = found["a"]["wide"]
        assert wide["voice"]["value"] == 0
        assert wide["recordings"]["value"] == 1.2  # three words for two are three errors
        assert found["a"]["telephone"]["voice - recordings"]["value"] == -1.2
        assert set(found["a"]) == {"wide", "telephone"}

    def test_difference_is_paired(self) -> None:
        # Each sentence has one error more: the interval has no width, however sentences differ.
        one = [(errors + 1, 10) for errors in range(9)]
        other = [(errors, 10) for errors in range(9)]
        assert difference(one, other) == {"value": 0.1, "low": 0.1, "high": 0.1}

    def test_interval_holds_zero_where_both_win_alike(self) -> None:
        found = difference([(1, 5), (0, 5)] * 20, [(0, 5), (1, 5)] * 20)
        assert found["low"] < 0 < found["high"]


class TestTelephone:
    @pytest.mark.parametrize(
        ("hz", "least_db", "most_db"), [(100, -99, -35), (1000, -0.2, 0.1), (3800, -99, -3)]
    )
    def test_band(self, hz: int, least_db: float, most_db: float) -> None:
        tone = 0.5 * np.sin(2 * np.pi * hz * np.arange(16000) / 16000).astype(np.float32)
        through = telephone_band(tone)
        assert len(through) == 8000
        gain_db = 20 * np.log10(np.sqrt((through**2).mean() / (tone**2).mean()))
        assert least_db <= gain_db <= most_db

    def test_length_stays(self) -> None:
        noise = np.random.default_rng(1).normal(0, 0.1, 16000).astype(np.float32)
        assert len(telephone(noise)) == 16000


FIGURES: dict[str, Any] = {
    "speed": {"real_time_factor": 0.02},
    "copy": {"pesq": {"mean": 3.3}, "stoi": {"mean": 0.95}},
    "pitch": {"recordings": {"spread_st": 3.0}, "voice": {"spread_st": 2.5}},
    "questions": {"yes_no": {"rising": 0.9}},
    "words": {
        "ours": {"telephone": {"recordings": {"value": 0.2}, "voice": {"value": 0.2}}},
    },
}  # fmt: skip


class TestTargets:
    def test_at_the_limit_all_is_kept(self) -> None:
        found = targets(FIGURES)
        assert len(found) == 6
        assert all(each["kept"] for each in found)

    @pytest.mark.parametrize(
        ("place", "value", "missed"),
        [
            (("speed", "real_time_factor"), 0.021, "real-time factor"),
            (("copy", "pesq", "mean"), 3.29, "PESQ"),
            (("copy", "stoi", "mean"), 0.949, "STOI"),
            (("pitch", "voice", "spread_st"), 2.3, "spread"),
            (("pitch", "voice", "spread_st"), 3.7, "spread"),
            (("questions", "yes_no", "rising"), 0.85, "yes/no questions"),
            (("words", "ours", "telephone", "voice", "value"), 0.21, "word errors, ours"),
        ],
    )
    def test_beyond_it_is_missed(self, place: tuple[str, ...], value: float, missed: str) -> None:
        figures = copy.deepcopy(FIGURES)
        row = figures
        for key in place[:-1]:
            row = row[key]
        row[place[-1]] = value
        wrong = [each["name"] for each in targets(figures) if not each["kept"]]
        assert len(wrong) == 1
        assert wrong[0].startswith(missed)


class TestTakes:
    def utterance(self, file: str, text: str, held_out: bool = True) -> Utterance:
        samples = np.full(512, len(file), np.int16)
        zeros = np.zeros((2, 80), np.float32)
        flat = np.zeros(2, np.float32)
        tokens = ("^", "h", ".", "$")
        return Utterance(file, text, tokens, held_out, samples, zeros, flat, flat, None)

    def test_one_take_of_every_held_out_sentence(self) -> None:
        takes = [
            self.utterance("a0", "One.", held_out=False),
            self.utterance("a1", "Two."),
            self.utterance("a2", "two"),
            self.utterance("a3", "Three."),
        ]
        assert [take.file for take in one_take_each(takes)] == ["a1", "a3"]

    def test_originals_are_of_the_same_sentences_in_the_same_order(self, tmp_path: Path) -> None:
        save_utterances(
            tmp_path,
            [self.utterance("x", "Two!"), self.utterance("xx", "One."), self.utterance("xxx", "2")],
        )
        wanted = [self.utterance("b1", "one"), self.utterance("b2", "Two.")]
        found = originals_of(tmp_path, wanted)
        assert [round(float(audio[0]) * 32767) for audio in found] == [2, 1]

    def test_an_original_that_is_missing_is_named(self, tmp_path: Path) -> None:
        save_utterances(tmp_path, [self.utterance("x", "Two!")])
        with pytest.raises(ValueError, match="no recording of 'one'"):
            originals_of(tmp_path, [self.utterance("b1", "One.")])


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_language_is_that_of_the_settings(tmp_path: Path, language: str) -> None:
    (tmp_path / "a.onnx.json").write_text(json.dumps({"language": {"code": f"{language}_XX"}}))
    assert language_of(tmp_path / "a.onnx") == language
