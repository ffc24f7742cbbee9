import random
from collections import Counter
from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.training.noise import Noise

WORDS = "will you please stop calling me at work"


def loaded(folder: Path, text: str, language: str = "en") -> Noise:
    (folder / f"confusions.{language}.tsv").write_text(text, "utf-8")
    return Noise.load(folder)


def heard(noise: Noise, text: str, times: int = 400) -> Counter[str]:
    draw = random.Random(1)
    return Counter(noise.heard(text, "en", draw) for _ in range(times))


def test_the_same_draw_hears_the_same(tmp_path: Path) -> None:
    noise = loaded(tmp_path, "stop\tstop\t5\nstop\ttop\t5\n")
    one, other = random.Random(7), random.Random(7)
    assert [noise.heard(WORDS, "en", one) for _ in range(50)] == [
        noise.heard(WORDS, "en", other) for _ in range(50)
    ]


def test_what_is_never_confused_is_heard(tmp_path: Path) -> None:
    assert set(heard(loaded(tmp_path, "stop\tstop\t9\nit\tit\t3\n"), "stop it")) == {"stop it"}


def test_confusions_come_as_often_as_they_were_counted(tmp_path: Path) -> None:
    """One of four is wrong; some lines are twice as bad and some half: 7/6 of a quarter."""
    noise = loaded(tmp_path, "stop\tstop\t75\nstop\ttop\t20\nstop\tshop\t5\n")
    found = heard(noise, "stop", 6000)
    assert set(found) == {"stop", "top", "shop"}
    assert (found["top"] + found["shop"]) / 6000 == pytest.approx(0.25 * 7 / 6, abs=0.02)
    assert found["top"] / found["shop"] == pytest.approx(4, rel=0.25)


def test_a_word_may_be_lost_or_become_several(tmp_path: Path) -> None:
    found = heard(loaded(tmp_path, "stop\t\t5\nstop\tat top\t5\nit\tit\t1\n"), "stop it")
    assert {"it", "at top it"} <= set(found)


def test_there_is_always_something_left(tmp_path: Path) -> None:
    lost = loaded(tmp_path, "stop\t\t5\n")
    assert set(heard(lost, "stop")) == {"stop"}
    assert set(heard(lost, "stop stop")) == {"stop", "stop stop"}
    assert all(heard(Noise(), "no").values())
    assert set(heard(Noise(), "no")) == {"no"}


def test_without_a_table_a_few_words_are_lost(tmp_path: Path) -> None:
    for noise in (Noise(), Noise.load(tmp_path), loaded(tmp_path, "a\tb\t1\n", "es")):
        words = [len(text.split()) for text in heard(noise, WORDS, 1000).elements()]
        assert 0.02 < 1 - sum(words) / (1000 * len(WORDS.split())) < 0.09
        draw = random.Random(1)
        assert all(
            set(noise.heard(WORDS, "en", draw).split()) <= set(WORDS.split()) for _ in range(100)
        )


def test_marks_and_capitals_do_not_hide_a_word(tmp_path: Path) -> None:
    noise = loaded(tmp_path, "stop\ttop\t5\n")
    assert "top it" in heard(noise, "Stop, it")


@pytest.mark.parametrize(
    "line",
    ["stop\ttop", "stop\ttop\tmany", "stop top 3", "", "stop\ttop\t3\t4", "a\tb\t0", "a\tb\t-1"],
)
def test_a_broken_table_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"confusions\.en\.tsv:2: expected said, heard and count"):
        loaded(tmp_path, f"stop\tstop\t1\n{line}\nit\tit\t1\n")


def test_a_table_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "confusions.es.tsv").write_bytes("sí\tsi\t3\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"confusions\.es\.tsv"):
        Noise.load(tmp_path)
