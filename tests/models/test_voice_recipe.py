"""The voice's recipe as far as it is pure: tokens, split, alignment sums; no torch needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.voice.recipe import corpus, text
from models.voice.recipe.corpus import Recording
from models.voice.recipe.settings import load_settings

ENGLISH = text.PHONE_SETS["en"]
TOKENS = ["^", "h", "ə", "l", "ˈoʊ", ",", " ", "w", "ˈɜː", "l", "d", ".", "$"]


def vocabulary() -> text.Vocabulary:
    return text.Vocabulary.build([TOKENS, ["^", "t", "ˈɑː", "k", ".", "$"]], ENGLISH)


class TestVocabulary:
    def test_tokens_survive_the_round_trip(self) -> None:
        known = vocabulary()
        assert known.decode(known.encode(TOKENS)) == TOKENS

    def test_json_round_trip(self) -> None:
        known = vocabulary()
        assert text.Vocabulary.from_json(known.to_json()) == known

    def test_ids_are_distinct_and_zero_is_free(self) -> None:
        ids = list(vocabulary().ids.values())
        assert sorted(ids) == list(range(1, len(ids) + 1))

    def test_stress_shares_the_phone(self) -> None:
        known = vocabulary()
        plain, primary, secondary = (known.parts[known.ids[t]] for t in ("oʊ", "ˈoʊ", "ˌoʊ"))
        assert plain[0] == primary[0] == secondary[0]
        assert [plain[1], primary[1], secondary[1]] == [0, 1, 2]

    def test_question_mark_has_its_own_id_but_sounds_like_a_period(self) -> None:
        known = vocabulary()
        assert known.ids["?"] != known.ids["."]
        assert known.parts[known.ids["?"]] == known.parts[known.ids["."]]

    def test_phone_that_was_never_recorded_is_refused(self) -> None:
        with pytest.raises(KeyError):
            vocabulary().encode(["ʒ"])

    def test_piper_map_pads_with_nothing(self) -> None:
        table = vocabulary().phoneme_id_map()
        assert table["_"] == []
        assert table["ʲ"] == []
        assert table["ˈoʊ"] == [vocabulary().ids["ˈoʊ"]]


class TestPhonemize:
    def test_stress_stays_on_the_vowel_and_diphthongs_stay_whole(self) -> None:
        assert text.phonemize("Hello.", ENGLISH) == ["h", "ə", "l", "ˈoʊ", "."]

    def test_text_without_a_mark_gets_one(self) -> None:
        assert text.phonemize("Hello", ENGLISH)[-1] == "."

    def test_question_mark_is_kept(self) -> None:
        assert text.phonemize("Is it you?", ENGLISH)[-1] == "?"

    @pytest.mark.parametrize("mark", ["ˈ", "ˌ", "ː", "̩"])
    def test_no_mark_is_left_alone(self, mark: str) -> None:
        sentence = "The button had little choice, enjoying the awful measure of our fire."
        assert mark not in text.phonemize(sentence, ENGLISH)


class TestSplit:
    def recordings(self) -> list[Recording]:
        takes = [
            Recording(f"arctic_a{number:04d}_{take}.flac", f"a{number:04d}", f"Sentence {number}.")
            for number in range(50)
            for take in range(3)
        ]
        # The same words under another sentence's name.
        twin = Recording("arctic_b0001_0.flac", "b0001", "sentence 7")
        other_take = Recording("arctic_b0001_1.flac", "b0001", "Sentence 7!")
        return [*takes, twin, other_take]

    @given(seed=st.integers(0, 1000))
    def test_no_words_on_both_sides(self, seed: int) -> None:
        recordings = self.recordings()
        held = corpus.held_out_files(recordings, 10, seed)
        inside = {corpus.plain_words(r.text) for r in recordings if r.file in held}
        outside = {corpus.plain_words(r.text) for r in recordings if r.file not in held}
        assert not inside & outside
        assert len({r.sentence for r in recordings if r.file in held}) >= 10

    def test_same_seed_same_split(self) -> None:
        recordings = self.recordings()
        assert corpus.held_out_files(recordings, 5, 1) == corpus.held_out_files(recordings, 5, 1)

    def test_list_with_a_strange_file_name_is_refused(self, tmp_path: object) -> None:
        from pathlib import Path

        path = Path(str(tmp_path)) / "x.tsv"
        path.write_text("file\tspeaker\tseconds\ttext\nfoo.flac\tx\t1\tHi.\n")
        with pytest.raises(ValueError, match=r"foo\.flac"):
            corpus.read_list(path, "arctic_([a-z][0-9]+)")


class TestAlignmentArithmetic:
    @given(
        lengths=st.lists(st.integers(0, 9), min_size=1, max_size=30),
        tail=st.integers(0, 3),
    )
    def test_durations_sum_to_the_frames(self, lengths: list[int], tail: int) -> None:
        from models.voice.recipe.hmm import frames_between

        starts = np.concatenate([[0], np.cumsum(lengths)])
        frames = int(starts[-1]) // 2 + tail
        durations = frames_between(starts, frames)
        assert durations.sum() == frames
        assert (durations >= 0).all()
        assert len(durations) == len(lengths)

    def test_viterbi_finds_the_planted_path(self) -> None:
        from models.voice.recipe.hmm import state_path, viterbi

        path = state_path([None, 1, None, 2, None])
        density = np.repeat(path.density, 4)
        token = np.repeat(path.token, 4)
        scores = np.full((len(density), 9), -5.0, np.float32)
        scores[np.arange(len(density)), density] = 0.0
        (states,) = viterbi([scores], [path])
        assert (path.token[states] == token).all()

    def test_viterbi_skips_a_silence_that_is_not_there(self) -> None:
        from models.voice.recipe.hmm import state_path, viterbi

        path = state_path([None, 1, None, 2, None])
        said = path.skippable == 0
        density = np.repeat(path.density[said], 4)
        scores = np.full((len(density), 9), -5.0, np.float32)
        scores[np.arange(len(density)), density] = 0.0
        (states,) = viterbi([scores], [path])
        assert 2 not in path.token[states]

    def test_batched_utterances_do_not_disturb_each_other(self) -> None:
        from models.voice.recipe.hmm import state_path, viterbi

        rng = np.random.default_rng(0)
        paths = [state_path([None, 1, None, 2, None]), state_path([None, 2, 1, 1, 2, None])]
        scores = [rng.normal(size=(n, 9)).astype(np.float32) for n in (40, 73)]
        together = viterbi(scores, paths)
        alone = [viterbi([s], [p])[0] for s, p in zip(scores, paths, strict=True)]
        for one, other in zip(together, alone, strict=True):
            assert (one == other).all()


class TestFeatures:
    def test_a_frame_for_every_hop(self) -> None:
        from models.voice.recipe.features import log_mel

        assert log_mel(np.zeros(256 * 10, np.float32)).shape == (10, 80)

    def test_a_tone_lands_in_its_band(self) -> None:
        from models.voice.recipe.features import mel_filterbank

        bank = mel_filterbank(1024, 80, 0, 8000)
        # Slaney: linear to 1 kHz, so 500 Hz is 7.5 mel of 45.2: band 7.5 / 45.2 * 81 - 1.
        assert abs(int(bank[:, 32].argmax()) - 12) <= 1

    def test_clean_sets_the_level_and_removes_direct_current(self) -> None:
        from models.voice.recipe.features import active_rms, clean

        time = np.arange(16000) / 16000
        tone = 0.01 * np.sin(2 * np.pi * 200 * time) * (time > 0.3) * (time < 0.7) + 0.002
        audio = clean(tone.astype(np.float32), load_settings().audio)
        assert active_rms(audio) == pytest.approx(0.07, rel=0.01)
        assert abs(float(audio.mean())) < 1e-3
        assert len(audio) < 16000
        assert len(audio) % 256 == 0


class TestSettings:
    def test_unknown_key_is_refused(self, tmp_path: object) -> None:
        from pathlib import Path

        from models.voice.recipe import settings

        shipped = Path(settings.__file__).with_name("settings.toml").read_text("utf-8")
        path = Path(str(tmp_path)) / "settings.toml"
        path.write_text(shipped.replace("[audio]", "[audio]\nloudness = 3"), "utf-8")
        with pytest.raises(TypeError, match="loudness"):
            load_settings(path)
