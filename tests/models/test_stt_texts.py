"""What the recognizer's recipe lets Spanish and English callers say, and with whose voice."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from appliance.nlu.english.grammar import ENGLISH
from appliance.nlu.grammar import Grammar
from appliance.nlu.numbers import read_digits
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.spanish.grammar import SPANISH
from appliance.nlu.spanish.numbers import read_cardinal
from appliance.nlu.understander import Context
from appliance.stt.espeak import split_phones
from models.stt.recipe import festival, lines, speakers, texts
from models.stt.recipe.english import numbers as english
from models.stt.recipe.spanish import accents, readings
from models.stt.recipe.spanish import numbers as spanish
from models.stt.recipe.spanish.grammar import vary
from models.stt.recipe.spanish.spoken import respell

HELD_OUT_LINES = Path("models/intent/data/heldout")
WORDS = {"en": r"[a-z']+( [a-z']+)*", "es": r"[a-záéíóúüñ']+( [a-záéíóúüñ']+)*"}


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_texts_are_plain_words_without_numerals(language: str) -> None:
    source, rng = texts.TextSource([], [], language), random.Random(2)
    for _ in range(4000):
        kind, text = source.draw(rng)
        assert re.fullmatch(WORDS[language], text), (kind, text)
        assert texts.normalize(text, language) == text


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_pattern_expands_without_leftover_marks(language: str) -> None:
    grammar, rng = texts.grammar(language), random.Random(3)
    for patterns in grammar.patterns.values():
        for pattern in patterns:
            for _ in range(10):
                assert not re.search(r"[\[\]{}|]", grammar.expand(rng, pattern)), pattern


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_weighted_kind_can_be_drawn_and_every_dev_kind_is_weighted(language: str) -> None:
    grammar, rng = texts.grammar(language), random.Random(4)
    for kind in grammar.weights:
        assert texts.TextSource([], [], language).draw(rng, kind)[1]
    assert set(grammar.dev_kinds) <= set(grammar.weights)
    assert sum(grammar.weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_texts_are_many(language: str) -> None:
    source, rng = texts.TextSource([], [], language), random.Random(5)
    drawn = [source.draw(rng)[1] for _ in range(3000)]
    assert len(set(drawn)) > 2200


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_training_lines_are_not_those_that_judge(language: str) -> None:
    table = yaml.safe_load((HELD_OUT_LINES / f"{language}.yaml").read_text(encoding="utf-8"))
    judged = {str(line) for entry in table for line in entry["says"]}
    trained = set(lines.intent_lines(language))
    assert len(trained) > 1000
    long = {line for line in judged if len(line.split()) >= texts.HOLD_OUT_WORDS}
    assert len(long & trained) / len(long) < 0.01


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "cero"),
        (16, "dieciséis"),
        (22, "veintidós"),
        (31, "treinta y uno"),
        (100, "cien"),
        (101, "ciento uno"),
        (1000, "mil"),
        (1250, "mil doscientos cincuenta"),
        (21000, "veintiún mil"),
        (90210, "noventa mil doscientos diez"),
    ],
)
def test_spanish_cardinals(number: int, words: str) -> None:
    assert spanish.cardinal(number) == words


def test_spanish_cardinals_are_read_back() -> None:
    for number in [*range(1, 1200), *range(1200, 200_000, 631)]:
        words = SPANISH.normalize(spanish.cardinal(number)).split()
        assert read_cardinal(words, 0) == (number, len(words)), number


@pytest.mark.parametrize(
    ("number", "feminine", "words"),
    [
        (1, False, "un"),
        (1, True, "una"),
        (21, False, "veintiún"),
        (31, True, "treinta y una"),
        (45, False, "cuarenta y cinco"),
    ],
)
def test_numbers_before_a_noun(number: int, feminine: bool, words: str) -> None:
    assert spanish.before_noun(number, feminine) == words


@pytest.mark.parametrize(
    ("language", "grammar", "most"), [("es", SPANISH, 0.06), ("en", ENGLISH, 0.06)]
)
def test_digits_are_read_back(language: str, grammar: Grammar, most: float) -> None:
    """Some groupings can be read two ways ("veinte cinco"); nearly all cannot."""
    rng, wrong = random.Random(6), 0
    read = spanish.read_digits if language == "es" else english.read_digits
    for _ in range(600):
        given = [rng.randrange(10) for _ in range(5)]
        wrong += read_digits(read(rng, given), grammar) != "".join(map(str, given))
    assert wrong / 600 <= most


def test_spanish_dates_are_understood() -> None:
    rng, understander = random.Random(7), RuleUnderstander()
    drawn = [readings.date(rng) for _ in range(300)]
    missed = [
        text
        for text in drawn
        if not understander.understand(text, Context("date", "es")).slots.get("date")
    ]
    assert len(missed) / 300 < 0.15, missed[:20]


def test_accents_are_put_back() -> None:
    table = accents.learn(["mi número", "el número", "numero", "una opcion", "si", "sí", "sí"])
    assert accents.restore("mi numero una opcion si", table) == "mi número una opción si"


def test_names_and_days_of_a_line_are_replaced() -> None:
    rng = random.Random(8)
    said = {vary(rng, "hábleme el martes soy ernesto uno dos tres") for _ in range(50)}
    assert len(said) == 50
    assert all(re.match(r"hábleme el \w+ soy \w+ ", text) for text in said)


def test_spanish_phones_fold_into_few() -> None:
    assert split_phones("d_ˈeʊ_ð_a p_ˈɛ_ŋ", "es") == ["d", "e", "w", "ð", "a", "p", "e", "n"]
    assert split_phones("d_ˈeʊ_ð_a", "en") == ["d", "eʊ", "ð", "a"]


def test_english_words_are_respelled_for_spanish_voices_only_where_listed() -> None:
    assert respell("mi zip code es nueve") == "mi sip coud es nueve"


def test_voices_that_judge_are_never_trained_on() -> None:
    rng = random.Random(9)
    for language in texts.LANGUAGES:
        trained = {speakers.draw_voice(rng, True, language, festival=True) for _ in range(4000)}
        names = {(voice.engine, voice.name) for voice in trained}
        for engine in speakers.HELD_OUT_ENGINES[language]:
            for _ in range(100):
                voice = speakers.draw_held_out(rng, engine, language)
                assert voice.engine == engine
                assert (engine, voice.name) not in names


def test_spanish_voices_speak_spanish() -> None:
    rng = random.Random(10)
    for _ in range(500):
        voice = speakers.draw_voice(rng, False, "es", festival=True)
        assert voice.engine in {"espeak", "festival"}
        assert voice.engine != "espeak" or voice.name.split("+")[0] in {"es", "es-419"}
        assert voice.engine != "festival" or voice.name in festival.SPANISH_VOICES


def test_a_voice_that_lacks_a_sound_stays_silent() -> None:
    italian = speakers.Voice("festival", "lp_diphone", 1.0, 190, 1.0)
    czech = speakers.Voice("festival", "czech_dita", 1.0, 190, 1.0)
    assert festival.order("x_ˈo_t_a", italian) is None
    assert "(ch " in (festival.order("x_ˈo_t_a", czech) or "")
    assert "(e1" not in (festival.order("ˈe_s", italian) or "")


@pytest.mark.parametrize("name", sorted(festival.SPANISH_VOICES))
def test_a_voice_says_every_sound_that_it_has(name: str) -> None:
    voice = speakers.Voice("festival", name, 1.0, 120, 1.0)
    for phone, sounds in festival.SPANISH_VOICES[name].items():
        said = festival.order(f"a_{phone}_ˈa", voice)
        assert said is not None
        assert all(f"({sound} " in said for sound in sounds.split()), phone


@pytest.mark.skipif(
    not shutil.which("festival") or not Path("/usr/share/festival/voices/italian").is_dir(),
    reason="festival or its Italian voices are not installed",
)
def test_festival_speaks_english_and_spanish_in_one_run() -> None:
    jobs = [
        ("hola amigos", speakers.Voice("festival", "lp_diphone", 1.0, 190, 1.0)),
        ("hello there", speakers.Voice("festival", "kal_diphone", 1.0, 110, 1.0)),
        ("jota", speakers.Voice("festival", "lp_diphone", 1.0, 190, 1.0)),
    ]
    spanish_wave, english_wave, lacking = festival.speak(jobs)
    assert lacking is None
    for found in (spanish_wave, english_wave):
        assert found is not None
        assert 0.4 < len(found[0]) / found[1] < 3.0
        assert np.abs(found[0]).max() > 0.05
