"""The teacher of the Spanish voice as far as it is pure: texts, times, tune, joins; no festival."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from models.voice.recipe import diphones, melody, teacher_spanish, teacher_texts
from models.voice.recipe.melody import Phone


def phones(text: str) -> list[Phone]:
    """Phones of 80 ms, apart by spaces; a mark belongs to the phone before it."""
    found: list[Phone] = []
    for part in text.split():
        if part in ",.?!":
            found[-1] = Phone(found[-1].phone, 0.08, found[-1].stressed, part)
        else:
            found.append(Phone(part.strip("ˈ"), 0.08, part[0] == "ˈ", ""))
    return found


def levels(text: str, kind: str) -> list[float]:
    """The semitones of all targets in order."""
    timed = melody.timed_phones(phones(text))
    return [level for targets in melody.tune(timed, [kind]) for _, level in targets]


def seconds(text: str) -> list[float]:
    return [phone.seconds for phone in melody.timed_phones(phones(text))]


class TestTexts:
    def test_two_draws_are_the_same_and_no_sentence_comes_twice(self) -> None:
        first, second = (list(itertools.islice(teacher_texts.sentences(), 600)) for _ in range(2))
        assert first == second
        assert len({text.lower() for text in first}) == 600

    def test_everything_is_written_in_words_and_ends_in_a_mark(self) -> None:
        for text in itertools.islice(teacher_texts.sentences(), 1500):
            assert not re.search(r"[\d{}<>]", text), text
            assert text[-1] in ".?!", text
            assert text.count("¿") == text.count("?"), text
            assert text.count("¡") == text.count("!"), text

    def test_many_sentences_ask(self) -> None:
        texts = list(itertools.islice(teacher_texts.sentences(), 600))
        assert sum("?" in text for text in texts) > 120


class TestReading:
    def test_stress_and_marks_keep_their_places(self) -> None:
        read, stressed, marks = teacher_spanish.read_aloud("Sí, ¿puede pagar?")
        assert read == "sipweðepaɣaɾ"
        assert [read[place] for place in sorted(stressed)] == ["i", "e", "a"]
        assert marks == {2: ",", len(read): "?"}

    @pytest.mark.parametrize(
        ("text", "kinds"),
        [
            ("Gracias. ¿Puede pagar hoy?", ["no", "yes-no"]),
            ("Disculpe, ¿cuánto quiere pagar?", ["word"]),
            ("¿De qué habla? ¡Vaya!", ["word", "no"]),
        ],
    )
    def test_kind_of_each_sentence(self, text: str, kinds: list[str]) -> None:
        assert teacher_spanish.kinds(text) == kinds


class TestTimes:
    def test_closure_is_taken_from_the_vowel_before(self) -> None:
        stop, nasal = seconds("e t a n o l a ."), seconds("e n a n o l a .")
        assert stop[0] < nasal[0]

    def test_last_syllable_is_slower(self) -> None:
        spoken = seconds("l a l a l a l a .")
        assert spoken[-1] > 1.2 * spoken[1]

    def test_stressed_vowel_is_longer(self) -> None:
        spoken = seconds("l ˈa l a l a l a .")
        assert spoken[1] > spoken[3]


class TestTune:
    SENTENCE = "l a k ˈa s a n w ˈe β a"

    def test_statement_falls(self) -> None:
        tune = levels(f"{self.SENTENCE} .", "no")
        assert tune[-1] == min(tune)

    def test_question_ends_high_above_its_last_accent(self) -> None:
        tune = levels(f"{self.SENTENCE} ?", "yes-no")
        assert tune[-1] - min(tune) > 5

    def test_question_with_a_word_rises_less(self) -> None:
        word, yes_no = (levels(f"{self.SENTENCE} ?", kind) for kind in ("word", "yes-no"))
        assert word[-1] - min(word) > 1.5
        assert word[-1] < yes_no[-1]
        assert word[0] >= yes_no[0]

    def test_comma_leaves_the_voice_up(self) -> None:
        tune = levels(f"{self.SENTENCE} , {self.SENTENCE} .", "no")
        assert tune[len(tune) // 2 - 1] > 1.5

    def test_phrase_without_stress_and_phrase_of_one_phone_have_a_tune(self) -> None:
        assert levels("d e .", "no")
        assert levels("ˈi ?", "yes-no")

    def test_voiceless_phones_have_no_pitch(self) -> None:
        timed = melody.timed_phones(phones("s ˈi ."))
        assert melody.tune(timed, ["no"])[0] == []


class TestJoins:
    @staticmethod
    def said(*names: str) -> list[str]:
        chain = diphones.speakable([(name, 0.08, []) for name in names])
        return [name for name, _, _ in chain]

    def test_voicing_is_that_of_the_next_stop(self) -> None:
        assert self.said("o", "b", "t", "e") == ["o", "p", "t", "e"]
        assert self.said("e", "s", "d", "e") == ["e", "z", "d", "e"]
        assert self.said("a", "d", "#") == ["a", "t", "#"]

    def test_nasal_is_that_of_the_next_stop(self) -> None:
        assert self.said("n*", "ch") == ["n", "ch"]
        assert self.said("n", "g") == ["n*", "g"]

    def test_hiatus_with_i_gets_a_glide_of_the_same_length_together(self) -> None:
        chain = diphones.speakable([("a", 0.08, []), ("i", 0.1, [(0.02, 1.0), (0.08, 3.0)])])
        assert [name for name, _, _ in chain] == ["a", "j", "i"]
        assert sum(length for _, length, _ in chain) == pytest.approx(0.18)
        assert chain[2][2] == [(pytest.approx(0.05), 3.0)]

    def test_diphthong_is_vowel_and_glide(self) -> None:
        parts = diphones.sounds("eɪ", 0.1, [(0.03, 0.0), (0.09, 2.0)])
        assert [(name, len(targets)) for name, _, targets in parts] == [("e", 1), ("j", 1)]

    def test_unknown_phone_is_refused(self) -> None:
        with pytest.raises(KeyError):
            diphones.sounds("θ", 0.1, [])

    def test_order_sets_pitch_in_hertz(self) -> None:
        assert diphones.order([("#", 0.15, []), ("a", 0.08, [(0.04, 12.0)])]) == (
            "(Utterance Segments ((# 0.1500) (a 0.0800 (0.040 392.0))))"
        )


class TestFestival:
    def test_silence_is_an_error_that_names_the_voice(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "festival"
        program.write_text("#!/bin/sh\necho 'no such voice' >&2\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(RuntimeError, match="czech_dita says nothing: no such voice"):
            diphones.speak([diphones.order([("#", 0.1, [])])])
