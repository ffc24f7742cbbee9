"""What is rendered before the first call: what calls may say, and nothing else."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from appliance.dialogue.flow import Flow
from appliance.dialogue.markup import plain
from appliance.errors import ConfigError
from appliance.flows.registry import read_flow
from appliance.nlu.hybrid import RulesAndModel
from appliance.nlu.model import Classifier, IntentModel
from appliance.nlu.rules import RuleUnderstander
from appliance.session.readiness import check_intents, check_languages, sentences_of, wanted_of
from appliance.tts.sentences import fixed_sentences
from appliance.tts.slots import SlotSentence, template_of
from appliance.types import Language


def test_texts_of_other_styles_are_not_rendered() -> None:
    flow = read_flow("campaign")
    templates = flow.templates["en"].values()
    spoken = {s for each in templates for text in each.speeches for s in fixed_sentences(text)}
    assert any(each.styled for each in templates)
    assert set(sentences_of([flow], "en")) == spoken


@pytest.mark.parametrize(("name", "language"), [("collections", "en"), ("collections", "es")])
def test_sentences_with_slots_have_two_samples_that_begin_differently(
    name: str, language: Language
) -> None:
    wanted = wanted_of([read_flow(name)], language)
    slotted = [each for each in wanted if isinstance(each, SlotSentence)]
    assert [each for each in wanted if isinstance(each, str)] == sentences_of(
        [read_flow(name)], language
    )
    assert len(slotted) > 10
    for each in slotted:
        head, *_ = each.template.partition("<slot ")
        assert plain(head).strip()
        assert {template_of(sample) for sample in each.samples} == {each.template}
        one, other = (plain(sample)[len(plain(head)) :] for sample in each.samples)
        assert one[0].casefold() != other[0].casefold()


def test_what_is_only_written_is_not_rendered_and_answers_are() -> None:
    flow = read_flow("renovation")
    rendered = " ".join(sentences_of([flow], "en"))
    assert flow.templates["en"]["recommend_quotes"].spoken[0] not in rendered
    assert flow.passages["en"]["permit_deck"].text.split(". ")[0] in rendered
    assert flow.templates["en"]["i_am_automated"].spoken[0].split(". ")[0] in rendered


def with_intents(*names: str) -> Flow:
    flow = read_flow("collections")
    spec = flow.spec.model_copy(update={"intents": dict.fromkeys(names, "an example")})
    return replace(flow, spec=spec)


def test_intents_of_a_flow_must_be_known_to_the_model() -> None:
    known = RuleUnderstander().intents
    check_intents([read_flow("collections"), with_intents()], known)
    check_intents([with_intents("kennel_question")], known | {"kennel_question"})
    with pytest.raises(
        ConfigError,
        match=r"flow collections: the intent model does not know kennel_question, zoo_question: "
        r"appliance intents train FOLDER_OF_EXAMPLES",
    ):
        check_intents(
            [read_flow("collections"), with_intents("zoo_question", "busy", "kennel_question")],
            known,
        )


def test_what_is_no_intent_is_never_known() -> None:
    """`content` and `out_of_scope` are labels of examples; no flow can route on them."""
    labels = ("busy", "content", "kennel_question")
    classifier = Classifier(labels, np.zeros((3, 1), np.float32), np.zeros(3, np.float32))
    known = RulesAndModel(RuleUnderstander(), IntentModel(_OneWide(), classifier)).intents
    check_intents([with_intents("kennel_question")], known)
    for name in ("content", "out_of_scope"):
        with pytest.raises(ConfigError, match=f"does not know {name}"):
            check_intents([with_intents(name)], known)


class _OneWide:
    def encode(self, text: str) -> npt.NDArray[np.float32]:
        return np.zeros(1, np.float32)


def test_a_flow_without_prompts_in_the_language_of_calls_is_refused() -> None:
    renovation = read_flow("renovation")
    assert "es" not in renovation.languages
    check_languages([renovation], "en")
    with pytest.raises(ConfigError, match=r"flow renovation has no prompts\.es\.yaml"):
        check_languages([read_flow("collections"), renovation], "es")
    with pytest.raises(ConfigError, match=r"call\.language"):
        wanted_of([renovation], "es")
