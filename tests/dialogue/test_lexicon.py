"""A flow's words and an account's fields are said as they want it; faults are found at load."""

from pathlib import Path

import pytest

from appliance.dialogue.lexicon import assert_like, assert_sayable
from appliance.dialogue.loader import load_flow
from appliance.dialogue.markup import parse
from appliance.errors import ConfigError

LEXICON = "version: 1\nlexicon:\n  en:\n    "


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("Ann: /!!/", "flow.yaml:5: lexicon.en.Ann: ! is no sign of IPA"),
        ("Ann: 'a[[x]]'", "a spelling has letters and spaces alone; IPA stands as /nwˈɛn/"),
        ("Ann: '<break>'", "a spelling has letters and spaces alone"),
        ("Ann: ''", "IPA as /nwˈɛn/"),
        ("'--': x", "a word has letters or figures"),
        ("Ann: an\n  es: {a: b}", "lexicon.es: there is no prompts.es.yaml"),
        ("Ann: 1", "put it in quotes"),
        ("code: /!!/", "flow.yaml:5: lexicon.en.code: ! is no sign of IPA"),
        ("machine: human", "lexicon.en.machine: tells that the call is automated"),
        ("machine: /hjˈuːmən/", "tells that the call is automated"),
        ("Ann: you owe five dollars", "lexicon.en.Ann: is much longer than the word"),
        ("Ann: /juːˈoʊ faɪv dˈɑːlɚz/", "is much longer than the word"),
        ("Ann: An. Ann.", "a spelling has letters and spaces alone"),
        ("Mr Wolf: I am human", "denies being automated"),
    ],
)
def test_a_fault_is_named(load, entry: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(("version: 1", LEXICON + entry))
    assert said in str(caught.value)


OWED = "properties:\n  - never: {words: {en: [owe*, debt]}, before: known}\n"


@pytest.mark.parametrize("said", ["owes", "a debt", "Debt"])
def test_a_lexicon_brings_no_word_that_a_property_keeps(load, said: str) -> None:
    lexicon = f"version: 1\nlexicon: {{en: {{Anders: {said}}}}}"
    with pytest.raises(ConfigError, match=r"lexicon\.en\.Anders: says '.*', which a property"):
        load(("version: 1", lexicon), ("states:", OWED + "states:"))
    load(("version: 1", lexicon.replace("Anders", f"Anders {said}")), ("states:", OWED + "states:"))


@pytest.mark.parametrize(
    ("say", "said"),
    [
        ("owe you", "say.name: says 'owe*', which a property"),
        ("Ann you have to pay us now", "say.name: is much longer than the word"),
        ("a human", "say.name: with it, prompt a_machine denies being automated"),
        ({"en": "a human"}, "say.name: with it, prompt a_machine denies"),
    ],
)
def test_an_account_brings_nothing_into_a_text(load, say: object, said: str) -> None:
    flow = load(
        ("states:", OWED + "states:"),
        prompts=(("Yes, I am a machine.", "I am {name}, a machine."),),
    )
    account = {"name": "Ann Lee", "word": "x", "say": {"name": say}}
    with pytest.raises(ConfigError) as caught:
        flow.bind("call", account)
    assert said in str(caught.value)
    assert "Lee" not in str(caught.value)
    flow.bind("call", account | {"say": {"name": "anne lee"}})


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("Nguyen", "/nwˈɛn/"), ("Nebuchadnezzar", "neb uh kad nez ar"), ("YMCA", "why em see ay"),
        ("HOA", "homeowners association"), ("Xfinity", "ex finity"), ("Wm. Orr", "William or"),
        ("J. K. Orr", "J. K. or"), ("3M", "three M"), ("lead paint", "led paint"),
    ],
)  # fmt: skip
def test_a_word_may_be_said_in_all_these_ways(word: str, said: str) -> None:
    assert_sayable(said)
    assert_like(word, said)


def test_words_of_a_flow_are_said_so_in_texts_and_values(load) -> None:
    flow = load(("version: 1", LEXICON + "code: kohd\n    Ann: /ˈæn/"))
    prompt = flow.bind("call", {"name": "Ann", "word": "x", "code": "42"}).render("who", {}, "en")
    assert prompt.text == "Hello Ann. What is the code?"
    assert prompt.speech == (
        'Hello <slot name="name"><phoneme ph="ˈæn">Ann</phoneme></slot>.'
        ' What is the <sub alias="kohd">code</sub>?'
    )
    assert flow.hash != load().hash


@pytest.mark.parametrize(
    ("say", "speech"),
    [
        ({"name": "an uh"}, '<sub alias="an uh">Ann</sub>'),
        ({"name": {"es": "ana"}}, "Ann"),
        ({"name": {"en": "/ˈænə/"}}, '<phoneme ph="ˈænə">Ann</phoneme>'),
        ({"other": "x"}, "Ann"),
    ],
)
def test_an_account_says_its_fields(load, say: object, speech: str) -> None:
    account = {"name": "Ann", "word": "x", "code": "42", "say": say}
    prompt = load().bind("call", account).render("who", {}, "en")
    assert prompt.parts[1].speech == f'<slot name="name">{speech}</slot>'
    assert prompt.text.startswith("Hello Ann.")


@pytest.mark.parametrize(
    ("say", "said"),
    [
        ("an uh", "say: must map fields"),
        ({"name": "<b>"}, "say.name: a spelling has letters"),
        ({"name": 5}, "say.name: is said as a text"),
        ({"name": {"en": "/?/"}}, "say.name: ? is no sign of IPA"),
        ({"sum": "lots"}, "say.sum: only text and names"),
    ],
)
def test_an_accounts_fault_is_named(load, say: object, said: str) -> None:
    flow = load(
        ("facts: {", "facts: {cost: money, "),
        ("  name: {type: text,", "  sum: {type: money, source: account}\n  name: {type: text,"),
    )
    account = {"name": "Ann", "word": "x", "code": "42", "sum": "1", "say": say}
    with pytest.raises(ConfigError) as caught:
        flow.bind("call", account)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('Bye<break time="1h"/>.', "prompts.bye: <break time"),
        ('<prosody rate="slow">Bye.', "is not closed: add </prosody>"),
        ('Bye <slot name="word"/>', "is no mark of a text: write {name}"),
        ('<sub alias="{name}">x</sub>', "a variable cannot stand inside a mark"),
        ('<say-as interpret-as="x">{name}</say-as>', 'interpret-as="x": is digits, characters'),
        ('<sub alias="I am a real person">Bye.</sub>', "denies being automated"),
        ('<sub alias="human helper">virtual helper</sub>', "'virtual' is not heard so"),
        ('A <phoneme ph="mæn">virtual</phoneme> one', "'virtual' is not heard so"),
        ('<sub alias="One. Two. Three. Four.">Bye.</sub>', "has 4 sentences"),
        ('<break time="1s"/>', "prompts.bye: has no text"),
        ("5 < 6", "write &lt;"),
    ],
)
def test_a_faulty_mark_in_a_prompt_is_named_at_load(load, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(prompts=(("  bye: Goodbye.", f"  bye: '{text}'"),))
    assert said in str(caught.value)
    assert "prompts.en.yaml:" in str(caught.value)


def test_marks_are_for_the_voice_alone(load) -> None:
    slow = 'Hello <prosody rate="slow">{name}.<break time="300ms"/> What is</prosody> the code?'
    flow = load(prompts=(('"Hello {name}. What is the code?"', f"'{slow}'"),))
    template = flow.templates["en"]["who"]
    assert template.shown == ("Hello [name]. What is the code?",)
    prompt = flow.bind("call", {"name": "<b> & [[x]]", "word": "x"}).render("who", {}, "en")
    assert prompt.text == "Hello <b> & [[x]]. What is the code?"
    assert prompt.redacted == "Hello [name]. What is the code?"
    pieces = parse(prompt.speech)
    assert [(piece.text, piece.rate) for piece in pieces if piece.slot == "name"] == [
        ("<b> ", 0.8), ("&", 0.8), (" [[x]]", 0.8),
    ]  # fmt: skip
    assert sum(piece.pause_ms for piece in pieces) == 300


def test_a_variable_is_spelled_where_the_text_asks_for_it(load) -> None:
    text = '<say-as interpret-as="as-in">{name}</say-as>?'
    flow = load(prompts=(("  bye: Goodbye.", f"  bye: '{text}'"),))
    prompt = flow.bind("call", {"name": "Bo", "word": "x"}).render("bye", {}, "en")
    assert prompt.text == "Bo?"
    assert prompt.speech == '<slot name="name">B as in boy, O as in ocean</slot>?'


def test_a_spanish_number_agrees_with_the_text_after_it(load, tmp_path: Path) -> None:
    left = "  left: {type: number, source: account}\n  name: {type: text,"
    checks = load(("  name: {type: text,", left)).checks.values()
    texts = (tmp_path / "prompts.en.yaml").read_text(encoding="utf-8")
    texts = texts.replace("language: en", "language: es")
    texts = texts.replace("Goodbye.", "Quedan {left} semanas y {left} días, {left}.")
    (tmp_path / "prompts.es.yaml").write_text(texts, encoding="utf-8")
    flow = load_flow(tmp_path, checks)
    call = flow.bind("call", {"name": "Ann", "word": "x", "left": 21}, "es")
    prompt = call.render("bye", {}, "es")
    assert prompt.text == "Quedan veintiuna semanas y veintiún días, veintiuno."
    assert prompt.parts[1].speech == '<slot name="left">veintiuna</slot>'
