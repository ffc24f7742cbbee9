"""Values as they are said: in groups, letter by letter, by their own names."""

import pytest

from appliance.dialogue.addresses import speak_address
from appliance.dialogue.codes import groups, parse_code, voice_code
from appliance.dialogue.markup import around_slot, heard, parse, plain
from appliance.dialogue.voicing import Voicing
from appliance.tts.sentences import split_sentences
from appliance.types import Language

PAUSE = ' <break time="200ms"/> '
ENGLISH, SPANISH = Voicing("en", {"Nguyen": "/nwˈɛn/", "Acme": "ack me"}), Voicing("es")


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("123", ["123"]),
        ("1234", ["1234"]),
        ("90210", ["902", "10"]),
        ("123456", ["123", "456"]),
        ("5550100", ["555", "0100"]),
        ("12345678", ["1234", "5678"]),
        ("123456789", ["123", "456", "789"]),
        ("3105550100", ["310", "555", "0100"]),
        ("12345678901", ["1234", "5678", "901"]),
        ("90210-1234", ["902", "10", "1234"]),
        ("12-34 5", ["12", "34", "5"]),
        ("AB12-3C", ["AB12", "3C"]),
        ("QWERTY", ["QWE", "RTY"]),
    ],
)
def test_groups_are_short(written: str, parts: list[str]) -> None:
    assert groups(written) == parts
    assert all(len(part) <= 4 for part in parts)


def test_digits_are_read_back_in_groups() -> None:
    assert ENGLISH.value("90210", "digits") == f"nine zero two{PAUSE}one zero"
    assert SPANISH.value("0815", "digits") == "cero ocho uno cinco"
    assert plain(ENGLISH.value("90210", "digits")) == "nine zero two one zero"


def test_a_mail_address_is_spelled_in_groups() -> None:
    a = '<phoneme ph="ˈeɪ">A</phoneme>'
    assert ENGLISH.value("maria_99@acme-ny.com", "email") == (
        f"M {a} R{PAUSE}I {a}, underscore, nine nine, at, {a} C M E dash N Y dot com"
    )
    assert SPANISH.value("ay@gmail.com", "email") == "A i griega, arroba, g mail punto com"


def test_codes_are_spelled() -> None:
    assert heard(ENGLISH.value("ab1-y", "code")) == "A B one Y"
    assert '<phoneme ph="ˈeɪ">A</phoneme>' in ENGLISH.value("A", "code")
    assert SPANISH.value("BVY1", "code") == "be uve i griega uno"
    assert voice_code("AB1", "en", "as-in") == (
        '<phoneme ph="ˈeɪ">A</phoneme> as in Adam, B as in boy, one'
    )
    assert voice_code("Ñ1", "es", "as-in") == "Ñ de ñandú, uno"
    assert voice_code("XL", "es", "nato") == "X-ray, Leema"
    assert parse_code(" ab 12 ") == "AB 12"
    for bad in ("", "a<b", "--", "x" * 41, "a" * 39 + "!"):
        with pytest.raises(ValueError, match="letters and digits"):
            parse_code(bad)


ADDRESSES = [
    ("1420 N. Main St., Apt 4B",
     "fourteen twenty North Main Street, apartment four B",
     "mil cuatrocientos veinte Norte Main strit, apartamento cuatro B"),
    ("105 St. Mary's Rd #12",
     "one oh five Saint Mary's Road number twelve",
     "ciento cinco seint Mary's roud número doce"),
    ("2000 W 4th Ave, Bell, CA 90024",
     "two thousand West fourth Avenue, Bell, California nine zero zero two four",
     "dos mil Oeste cuarto áveniu, Bell, California nueve cero cero dos cuatro"),
    ("123 E St NW, Washington, DC",
     "one twenty three E Street Northwest, Washington, D C",
     "ciento veintitrés E strit Noroeste, Washington, D C"),
    ("12 oak drive", "twelve oak drive", "doce oak draiv"),
    ("1600 Elm Ct, Unit C", "sixteen hundred Elm Court, unit C",
     "mil seiscientos Elm cort, unidad C"),
    ("Av. Reforma 222, Apto. 4", "Av Reforma two twenty two, Apto four",
     "Avenida Reforma doscientos veintidós, apartamento cuatro"),
    ("C/ Alcalá 100, 2º izda.", "C/ Alcalá one hundred, second izda",
     "Calle Alcalá cien, segundo izquierda"),
    ("Pza. Mayor 3, 3º B", "Pza Mayor three, third B", "Plaza Mayor tres, tercero B"),
    ("12 Oak St, 2nd Fl", "twelve Oak Street, second floor", "doce Oak strit, segundo piso"),
    ("42nd St. NE", "forty second Street Northeast", "cuarenta y dos strit Noreste"),
    ("1005 Rd", "ten oh five Road", "mil cinco roud"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "english", "spanish"), ADDRESSES)
def test_addresses_are_said_in_full(written: str, english: str, spanish: str) -> None:
    assert speak_address(written, "en") == english
    assert speak_address(written, "es") == spanish
    speech = ENGLISH.value(written, "address")
    assert (plain(speech), heard(speech)) == (written, english)


def test_names() -> None:
    said = ENGLISH.value("Dr. Anh Q. Nguyen Jr.", "name")
    assert heard(said) == "Doctor Anh Q Nguyen Junior"
    assert [piece.phones for piece in parse(said) if piece.phones] == ["nwˈɛn"]
    assert plain(said) == "Dr. Anh Q. Nguyen Jr."
    assert heard(SPANISH.value("Sra. Gómez", "name")) == "señora Gómez"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("U.S. Bank", "U.S Bank"),
        ("First Natl. Bank of St. Paul", "First National Bank of Saint Paul"),
        ("Yahoo! Inc.", "Yahoo Inc."),
        ("Who? Me", "Who Me"),
        ("Ft. Worth Credit Corp. LLC", "Fort Worth Credit Corporation LLC"),
    ],
)
def test_a_value_is_one_sentence_at_most(written: str, words: str) -> None:
    said = ENGLISH.value(written, "text")
    assert (plain(said), heard(said)) == (written, words)
    assert len(split_sentences(f"With {around_slot('creditor', said)} now. Bye.")) == 2


def test_a_long_value_is_said_as_it_is_written() -> None:
    assert ENGLISH.value("$5 " * 200, "text") == ("$5 " * 200).strip()
    assert heard(ENGLISH.value("Mr. Bob! " * 20, "text")).startswith("Mister Bob! Mister Bob!")


def test_an_account_may_say_how() -> None:
    assert ENGLISH.value("Siobhan", "name", "/ʃɪvˈɔːn/") == (
        '<phoneme ph="ʃɪvˈɔːn">Siobhan</phoneme>'
    )
    assert ENGLISH.value("Acme & Co", "text", "ack me and company") == (
        '<sub alias="ack me and company">Acme &amp; Co</sub>'
    )
    assert ENGLISH.value("240.50", "money", "lots") == "two hundred forty dollars and fifty cents"


@pytest.mark.parametrize("language", ["en", "es"])
def test_no_value_brings_marks_or_phones(language: Language) -> None:
    voicing = Voicing(language)
    for kind in ("text", "name", "address"):
        said = voicing.value('<break time="3s"/> [[x]] <sub alias="no">yes</sub>', kind)
        assert not any(piece.pause_ms or piece.phones for piece in parse(said))
        assert plain(said) == '<break time="3s"/> [[x]] <sub alias="no">yes</sub>'


def test_a_text_keeps_its_own_marks() -> None:
    text = (
        'Acme <prosody rate="slow">Mr. X</prosody>, <sub alias="Mr. T">$5</sub> at'
        ' <say-as interpret-as="characters">AB1</say-as>'
    )
    assert ENGLISH.text(text) == (
        '<sub alias="ack me">Acme</sub> <prosody rate="slow"><sub alias="Mister">Mr.</sub> X'
        '</prosody>, <sub alias="Mr. T">$5</sub> at <phoneme ph="ˈeɪ">A</phoneme> B one'
    )
    with pytest.raises(ValueError, match="interpret-as is digits, characters, as-in"):
        ENGLISH.text('<say-as interpret-as="loud">x</say-as>')
    with pytest.raises(ValueError, match="not digits"):
        ENGLISH.text('<say-as interpret-as="digits">four</say-as>')


def test_a_callers_word_that_cannot_be_spelled_is_said() -> None:
    assert ENGLISH.read_value("Ann", "name", "as-in") == (
        '<phoneme ph="ˈeɪ">A</phoneme> as in Adam, N as in Nora, N as in Nora'
    )
    assert ENGLISH.read_value("♥", "text", "characters") == "♥"


@pytest.mark.parametrize("written", [",", ".", ", ,", "-"])
def test_an_address_of_neither_letters_nor_figures_is_no_mark_that_says_nothing(
    written: str,
) -> None:
    for voicing in (ENGLISH, SPANISH):
        for said in (
            voicing.value(written, "address"), voicing.read_value(written, "text", "address"),
        ):  # fmt: skip
            assert plain(said) == written
            parse(said)
