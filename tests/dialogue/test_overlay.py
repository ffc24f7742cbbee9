"""Campaigns laid over a flow: what they change, and what is refused with the key to mend."""

import shutil
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from appliance.dialogue.campaign import (
    NO_MODEL,
    Campaign,
    CampaignConfig,
    parse_campaign,
    read_campaign,
    serialize_campaign,
)
from appliance.dialogue.checker.script import NOON
from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted
from appliance.dialogue.flow import Flow
from appliance.dialogue.schema import Style
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder, load_flow, read_flow, shipped_flows
from appliance.types import Language

ACCOUNT = {"first_name": "Maria"}
SPRING = {
    "greeting_override": "Hello {first_name}, I'm the automated assistant of {company}.",
    "compliance_text": "This is a sales call. Say stop, and we never call again.",
    "response_style": "formal",
    "context_variables": {
        "company": "Sunline Heating",
        "price": {"type": "money", "value": "49.00"},
    },
    "prompts": {"what_it_costs": "It costs {price}."},
    "seed": 42,
}


def laid_over(data: object, name: str = "spring") -> Flow:
    return load_flow("campaign", parse_campaign(name, data))


def shown(flow: Flow, prompt: str, language: Language = "en") -> tuple[str, ...]:
    return flow.templates[language][prompt].shown


def first_words(flow: Flow) -> list[str]:
    call = flow.bind("c", ACCOUNT, flow.languages[0])
    return [each.text for each in step(call, call.open(), CallStarted(), NOON).say]


# --- what it changes ---


def test_a_campaigns_names_are_said_as_it_wants() -> None:
    flow = laid_over({**SPRING, "lexicon": {"Sunline": "/sˈʌnlaɪn/"}})
    call = flow.bind("c", ACCOUNT, "en")
    first = step(call, call.open(), CallStarted(), NOON).say[0]
    assert first.text == "Hello Maria, I'm the automated assistant of Sunline Heating."
    assert '<phoneme ph="sˈʌnlaɪn">Sunline</phoneme> Heating' in first.speech


def test_a_campaign_in_its_own_words() -> None:
    flow = laid_over(SPRING)
    assert first_words(flow) == [
        "Hello Maria, I'm the automated assistant of Sunline Heating.",
        "This is a sales call. Say stop, and we never call again.",
        (
            "I am calling about a free energy check of your home. "
            "May I ask you one question about it, please?"
        ),
    ]
    assert shown(flow, "what_it_costs") == ("It costs forty nine dollars.",)
    assert (flow.name, flow.campaign, flow.seed) == ("campaign", "spring", "42")


def test_the_compliance_text_is_not_interrupted() -> None:
    templates = laid_over(SPRING).templates["en"]
    assert [name for name, each in templates.items() if each.uninterruptible] == ["compliance"]


def test_each_configuration_is_a_version_of_its_own() -> None:
    flows = [
        read_flow("campaign"),
        laid_over({}),
        laid_over({"seed": 1}),
        laid_over({"context_variables": {"offer": "a loan"}}),
        laid_over({"response_style": "brief"}),
    ]
    assert len({flow.hash for flow in flows}) == len(flows)
    assert laid_over(SPRING).hash == laid_over(SPRING).hash


def test_the_flow_itself_stays_as_it_is() -> None:
    before = read_flow("campaign").hash
    laid_over(SPRING)
    assert read_flow("campaign").hash == before


@pytest.mark.parametrize(
    ("style", "language", "sentences"),
    [
        *(
            (style, language, None)
            for style, language in product(get_args(Style), get_args(Language))
        ),
        ("brief", "en", 1),
        ("brief", "es", 1),
    ],
)
def test_every_style_is_proven_in_every_language(
    style: Style, language: Language, sentences: int | None
) -> None:
    flow = laid_over({"response_style": style, "language": language, "max_sentences": sentences})
    assert flow.languages == (language,)
    for template in flow.templates[language].values():
        assert template.styled == ()
        assert template.sentences <= (sentences or 2)


def test_a_style_without_texts_of_its_own_says_the_usual_ones() -> None:
    usual, formal = laid_over({}), laid_over({"response_style": "formal"})
    assert shown(formal, "take_your_time") == shown(usual, "take_your_time")
    assert shown(formal, "noted") != shown(usual, "noted")


def test_a_campaign_speaks_one_language() -> None:
    flow = laid_over({"language": "es"})
    assert flow.spec.universal["english_request"].say == ("only_this_language",)
    assert flow.spec.universal["spanish_request"].language is None
    with pytest.raises(ConfigError, match=r"no prompts\.en\.yaml"):
        flow.bind("c", ACCOUNT, "en")


def test_the_name_of_the_campaign_is_known_to_tools() -> None:
    call = laid_over({}, "autumn").bind("c", ACCOUNT)
    assert call.value("campaign", {}) == "autumn"


def test_a_flow_keeps_its_own_variable_of_that_name(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(flow_folder("campaign"), tmp_path / "mine"))
    text = (folder / "flow.yaml").read_text("utf-8")
    own = "campaign: {type: text, source: account}"
    text = text.replace("campaign: {type: text, source: campaign, value: campaign}", own)
    (folder / "flow.yaml").write_text(text, "utf-8")
    flow = load_flow(folder, parse_campaign("spring", {}))
    assert flow.bind("c", {**ACCOUNT, "campaign": "mine"}).value("campaign", {}) == "mine"


def test_a_campaign_survives_being_stored() -> None:
    campaign = parse_campaign("spring", SPRING)
    again = parse_campaign("spring", serialize_campaign(campaign))
    assert again.config == campaign.config
    assert laid_over(serialize_campaign(campaign)).hash == laid_over(SPRING).hash


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_flows())
def test_every_flow_is_proven_in_one_language(name: str) -> None:
    for language in read_flow(name).languages:
        flow = load_flow(name, parse_campaign("x", {"language": language}))
        assert flow.languages == (language,)


def test_it_fits_any_flow() -> None:
    greeting = "Hello. This is the automated assistant of {agency}. Am I speaking with {full_name}?"
    campaign = parse_campaign("north", {"greeting_override": greeting})
    flow = load_flow("collections", campaign)
    assert shown(flow, "greeting") == (greeting.replace("{", "[").replace("}", "]"),)
    campaign = parse_campaign("north", {"compliance_text": "We sell."})
    with pytest.raises(ConfigError, match="compliance_text: flow collections has no place for it"):
        load_flow("collections", campaign)


# --- what is refused ---


@pytest.mark.parametrize("key", sorted(NO_MODEL))
def test_keys_for_a_language_model_are_refused_with_the_reason(key: str) -> None:
    with pytest.raises(ConfigError, match=f"campaign spring: {key}: ") as refused:
        parse_campaign("spring", {key: 1, "language": "en"})
    assert NO_MODEL[key] in str(refused.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"greeting": "Hi"}, "campaign spring: greeting: Extra inputs are not permitted"),
        ({"language": "fr"}, "campaign spring: language: Input should be 'en' or 'es'"),
        ({"response_style": "rude"}, "campaign spring: response_style: "),
        ({"max_sentences": 0}, "campaign spring: max_sentences: "),
        ({"max_sentences": 3}, "campaign spring: max_sentences: the flow's limit is 2; a campaign"),
        ({"max_sentences": 1},
         r"campaign spring: max_sentences, in .*prompts.en.yaml:\d+: prompts.greeting: has 2 sent"),
        ({"prompts": {"hello": "Hi"}},
         "campaign spring: prompts.hello: flow campaign has no such prompt; it has none like it"),
        ({"prompts": {"noted": "You get {gift}."}},
         "campaign spring: prompts.noted: {gift} is not under variables"),
        ({"prompts": {"noted": "{first name}"}}, "campaign spring: prompts.noted: {first name} is"),
        ({"prompts": {"noted": " "}}, "campaign spring: prompts.noted: has no text"),
        ({"prompts": {"noted": "One. Two. Three."}},
         "campaign spring: prompts.noted: has 3 sentences; max_sentences is 2"),
        ({"compliance_text": "One. Two. Three."},
         "campaign spring: compliance_text: has 3 sentences; max_sentences is 2"),
        ({"prompts": {"noted": "I'm not a robot."}},
         "campaign spring: prompts.noted: denies being automated; it never may"),
        ({"prompts": {"noted": "Rest assured, I'm a person."}},
         "campaign spring: prompts.noted: denies being automated"),
        ({"prompts": {"noted": "This call is not automated."}},
         "campaign spring: prompts.noted: denies being automated"),
        ({"prompts": {"goodbye": "Until {callback_date}."}},
         "campaign spring: prompts.goodbye:\nno variable is used before its value is known"),
        ({"greeting_override": "This is the automated line. You are speaking with a real person."},
         "campaign spring: greeting_override: denies being automated; it never may"),
        ({"lexicon": {"automated": "lovely"}, "greeting_override": "The automated assistant."},
         "campaign spring: greeting_override: must say that the call is automated: 'The automated"),
        ({"greeting_override": 'The <sub alias="lovely">automated</sub> assistant.'},
         "campaign spring: greeting_override: must say that the call is automated"),
        ({"greeting_override": 'The automated <break time="1h"/> assistant.'},
         'campaign spring: greeting_override: <break time="1h"/>: time is from 20ms to 3s'),
        ({"lexicon": {"Sunline": "/!/"}},
         "campaign spring: lexicon.Sunline: ! is no sign of IPA"),
        ({"context_variables": {"offer": "a talk, for I am a human"}},
         "campaign spring: context_variables.offer, in .*ask_to_go_on: denies being automated"),
        ({"greeting_override": "Hello, this is Bob of {company}."},
         "campaign spring: greeting_override: must say that the call is automated: 'Hello, this"),
        ({"prompts": {"greeting": "Hello."}},
         "campaign spring: prompts.greeting: must say that the call is automated: 'Hello.'"),
        ({"prompts": {"i_am_automated": "Let's talk about {offer}."}},
         "campaign spring: prompts.i_am_automated: must say that the call is automated"),
        ({"greeting_override": "A robot.", "prompts": {"greeting": "A machine."}},
         "campaign spring: greeting_override: is also given as prompts.greeting: leave one out"),
        ({"context_variables": {"first_name": "Bob"}},
         "campaign spring: context_variables.first_name: comes from the account, not from"),
        ({"context_variables": {"callback_date": "2026-11-11"}},
         "campaign spring: context_variables.callback_date: comes from the fact, not from"),
        ({"context_variables": {"confirmed": "yes"}},
         "campaign spring: context_variables.confirmed: is a fact of the flow"),
        ({"context_variables": {"campaign": "x"}},
         "campaign spring: context_variables.campaign: is the campaign's own name"),
        ({"context_variables": {"two words": "x"}},
         "campaign spring: context_variables.two words: is no name of a variable"),
        ({"context_variables": {"offer": {"type": "money", "value": "5"}}},
         "campaign spring: context_variables.offer: is of type text in flow campaign"),
        ({"context_variables": {"price": {"type": "money", "value": "cheap"}}},
         "campaign spring: context_variables.price: value: not an amount of money"),
        ({"context_variables": {"offer": "{first_name}'s check"}},
         "campaign spring: context_variables.offer: value: has braces"),
        ({"prompts": {"goodbye": "We guarantee it. Goodbye."}},
         "campaign spring: prompts.goodbye:\nnever words .*: goodbye says guarantee"),
        ({"context_variables": {"offer": "guaranteed savings"}},
         "campaign spring: context_variables.offer:\nnever words .*says guarantee"),
        ({"compliance_text": "This is a call for your government."},
         "campaign spring: compliance_text:\nnever words .*: compliance says government"),
    ],
)  # fmt: skip
def test_what_is_refused_names_its_key(data: object, said: str) -> None:
    with pytest.raises(ConfigError, match=f"(?s){said}"):
        laid_over(data)


def test_a_language_that_the_flow_lacks(tmp_path: Path) -> None:
    for name in ("flow.yaml", "prompts.en.yaml", "checks.py"):
        source = Path("appliance/flows/campaign") / name
        text = (Path(__file__).parents[2] / source).read_text("utf-8")
        (tmp_path / name).write_text(text, "utf-8")
    campaign = parse_campaign("spring", {"language": "es"})
    with pytest.raises(ConfigError, match="spring: language: flow campaign has no prompts in es"):
        load_flow(tmp_path, campaign)


@pytest.mark.parametrize("name", ["", "Spring", "a b", "../x", "x" * 65, "-x"])
def test_names_that_cannot_be_stored(name: str) -> None:
    with pytest.raises(ConfigError, match="a name is of a-z"):
        parse_campaign(name, {})


def test_a_file_is_read_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "spring.yaml"
    path.write_text("language: en\ngreeting_override: A robot of {firm}.\ntemperature: 0\n")
    with pytest.raises(ConfigError, match=r"spring\.yaml:3: temperature: no model writes"):
        read_campaign(path)
    path.write_text("language: en\ngreeting_override: A robot of {firm}.\n")
    campaign = read_campaign(path)
    assert campaign.name == "spring"
    with pytest.raises(ConfigError, match=r"spring\.yaml:2: greeting_override: \{firm\} is not"):
        load_flow("campaign", campaign)


def test_an_empty_campaign_is_one() -> None:
    assert Campaign("x", CampaignConfig()).place("seed") == "campaign x: seed"
    assert laid_over({}).languages == ("en",)
