"""Lays a campaign over the files of a flow, before they are checked.

    flow.yaml, prompts.* ── lay_over(campaign) ──> the same kinds of files ──> loader, checker

What comes out is checked and proven like any flow, by the same code: this module decides nothing
about what may be said. It reports only what would otherwise be lost on the way, such as a prompt
that the flow does not have. Every text from the campaign keeps its place there for messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches

from appliance.dialogue.campaign import Campaign, ContextVariable
from appliance.dialogue.declarations import Names, Variable
from appliance.dialogue.flow import Flow
from appliance.dialogue.honesty import announces
from appliance.dialogue.markup import heard
from appliance.dialogue.monolingual import in_one_language
from appliance.dialogue.schema import FlowSpec, PromptFile, PromptSpec, Style
from appliance.dialogue.speech import speak
from appliance.dialogue.voicing import Voicing
from appliance.dialogue.yamlfile import Document, Where
from appliance.errors import ConfigError
from appliance.types import Language

COMPLIANCE = "compliance"
"""The prompt that a campaign's compliance text becomes."""

CAMPAIGN = "campaign"
"""The variable that holds the campaign's name, for tools."""

Prompts = Mapping[Language, Document[PromptFile]]


def lay_over(
    flow: Document[FlowSpec], prompts: Prompts, campaign: Campaign
) -> tuple[Document[FlowSpec], Prompts]:
    """The flow and its prompts as this campaign has them: in its language and in its words.

    Raises:
        ConfigError: the campaign does not fit the flow; one line per problem, with the key.
    """
    problems = list(_problems(flow.content, prompts, campaign))
    if problems:
        raise ConfigError("\n".join(problems))
    config, language = campaign.config, campaign.config.language
    spec = in_one_language(flow.content, language)
    variables = {name: _variable(spec, name, each) for name, each in _given(spec, campaign).items()}
    places: dict[Where, str] = {
        ("variables", name): campaign.place("context_variables", name) for name in variables
    }
    for word in config.lexicon:
        places["lexicon", language, word] = campaign.place("lexicon", word)
    spec = spec.model_copy(
        update={
            "variables": {**spec.variables, **variables},
            "lexicon": {language: _lexicon(spec, campaign)},
            "max_sentences": config.max_sentences or spec.max_sentences,
            "states": _with_compliance(spec) if config.compliance_text else spec.states,
        }
    )
    document = _worded(prompts[language], spec, campaign)
    return replace(flow, content=spec, elsewhere=places), {language: document}


def keys_behind(flow: Flow, campaign: Campaign | None, failure: str) -> list[str]:
    """The places of the campaign's keys that made the prompts which a failure names."""
    if campaign is None:
        return []
    own = _own_texts(flow.spec, campaign) | {COMPLIANCE: ((), ("compliance_text",))}
    found: list[str] = []
    for name, template in flow.templates[campaign.config.language].items():
        if not re.search(rf"\b{name}\b", failure):
            continue
        if name in own:
            found.append(campaign.place(*own[name][1]))
        text = " ".join(template.shown)
        found += [
            campaign.place("context_variables", variable)
            for variable in campaign.config.context_variables
            if _spoken(flow.spec, variable, campaign) in text
        ]
    return list(dict.fromkeys(found))


def _spoken(spec: FlowSpec, name: str, campaign: Campaign) -> str:
    variable = spec.variables[name]
    return speak(variable.value, variable.type, campaign.config.language)


def _problems(spec: FlowSpec, prompts: Prompts, campaign: Campaign) -> Iterator[str]:
    config, place = campaign.config, campaign.place
    if config.language not in prompts:
        spoken = ", ".join(prompts)
        yield f"{place('language')}: flow {spec.flow} has no prompts in {config.language}: {spoken}"
        return
    texts = prompts[config.language].content.prompts
    yield from _text_problems(spec, texts, campaign)
    if (config.max_sentences or 0) > spec.max_sentences:
        limit = f"the flow's limit is {spec.max_sentences}; a campaign may only lower it"
        yield f"{place('max_sentences')}: {limit}"
    for name, given in config.context_variables.items():
        for said in _variable_problems(spec, name, given):
            yield f"{place('context_variables', name)}: {said}"


def _text_problems(
    spec: FlowSpec, texts: Mapping[str, PromptSpec], campaign: Campaign
) -> Iterator[str]:
    config, place = campaign.config, campaign.place
    for name in sorted(set(config.prompts) - set(texts)):
        close = ", ".join(get_close_matches(name, texts)) or "none like it"
        yield f"{place('prompts', name)}: flow {spec.flow} has no such prompt; it has {close}"
    greeting = _greeting(spec)
    if config.greeting_override and greeting in config.prompts:
        yield f"{place('greeting_override')}: is also given as prompts.{greeting}: leave one out"
    if config.compliance_text and (COMPLIANCE in texts or not spec.states[spec.start].say):
        yield (
            f"{place('compliance_text')}: flow {spec.flow} has no place for it: its first state"
            f" needs a `say`, and no prompt may be called {COMPLIANCE}"
        )
    voicing = Voicing(config.language, _lexicon(spec, campaign))
    for name, (own, where) in _own_texts(spec, campaign).items():
        for text in own if name in (greeting, spec.automation) else ():
            if not _announces(text, config.language, voicing):
                yield f"{place(*where)}: must say that the call is automated: {text!r} does not"


def _lexicon(spec: FlowSpec, campaign: Campaign) -> dict[str, str]:
    """How words are said in the campaign's language: the flow's, and its own before them."""
    return {**spec.lexicon.get(campaign.config.language, {}), **campaign.config.lexicon}


def _announces(text: str, language: Language, voicing: Voicing) -> bool:
    """Whether a text says it in words that are heard; faulty marks are the loader's to report."""
    try:
        words = heard(voicing.text(text))
    except ValueError:
        return True
    return announces(words, language)


def _variable_problems(spec: FlowSpec, name: str, given: ContextVariable) -> Iterator[str]:
    declared = spec.variables.get(name)
    if name == CAMPAIGN:
        yield "is the campaign's own name; choose another"
    elif not name.isidentifier():
        yield "is no name of a variable"
    elif declared is None:
        if name in spec.facts:
            yield "is a fact of the flow; choose another name"
    elif declared.source != "campaign":
        yield f"comes from the {declared.source}, not from the campaign; choose another name"
    elif given.type not in (None, declared.type):
        yield f"is of type {declared.type} in flow {spec.flow}"


def _given(spec: FlowSpec, campaign: Campaign) -> dict[str, ContextVariable]:
    """What the campaign gives, and its own name where the flow has nothing else of that name."""
    given, declared = dict(campaign.config.context_variables), spec.variables.get(CAMPAIGN)
    free = declared is None and CAMPAIGN not in spec.facts
    if free or (declared is not None and declared.source == "campaign"):
        given[CAMPAIGN] = ContextVariable(value=campaign.name)
    return given


def _variable(spec: FlowSpec, name: str, given: ContextVariable) -> Variable:
    declared = spec.variables.get(name)
    kind = given.type or (declared.type if declared else "text")
    return Variable(type=kind, source="campaign", value=given.value)


def _greeting(spec: FlowSpec) -> str:
    """The first prompt of a call."""
    first = spec.states[spec.start]
    asked = getattr(first, "ask", "")  # an action state asks nothing
    return first.say[0] if first.say else str(asked)


def _with_compliance(spec: FlowSpec) -> dict[str, object]:
    first = spec.states[spec.start]
    say = (first.say[0], COMPLIANCE, *first.say[1:])
    return {**spec.states, spec.start: first.model_copy(update={"say": say})}


def _worded(
    document: Document[PromptFile], spec: FlowSpec, campaign: Campaign
) -> Document[PromptFile]:
    """The prompts in the campaign's style, with its own texts in place of the flow's."""
    config = campaign.config
    prompts = {
        name: _styled(prompt, config.response_style)
        for name, prompt in document.content.prompts.items()
    }
    places: dict[Where, str] = {
        ("prompts", name): _changed_by(campaign, prompt, document.at(("prompts", name), ""))
        for name, prompt in prompts.items()
    }
    for name, (texts, key) in _own_texts(spec, campaign).items():
        prompts[name] = prompts[name].model_copy(update={"text": texts})
        places["prompts", name] = campaign.place(*key)
    if config.compliance_text:
        prompts[COMPLIANCE] = PromptSpec(text=config.compliance_text, uninterruptible=True)
        places["prompts", COMPLIANCE] = campaign.place("compliance_text")
    content = document.content.model_copy(update={"prompts": prompts})
    return replace(document, content=content, elsewhere=places)


def _changed_by(campaign: Campaign, prompt: PromptSpec, place: str) -> str:
    """The place of a prompt of the flow, with the keys that make it what it is."""
    config = campaign.config
    keys: list[Where] = [("max_sentences",)] if config.max_sentences else []
    keys += [
        ("context_variables", name)
        for name in config.context_variables
        if any(f"{{{name}}}" in text for text in prompt.text)
    ]
    changed = "; ".join(campaign.place(*key) for key in keys) or f"campaign {campaign.name}"
    return f"{changed}, in {place.removesuffix(': ')}"


def _own_texts(spec: FlowSpec, campaign: Campaign) -> dict[str, tuple[Names, Where]]:
    """The texts that the campaign has in place of the flow's, by prompt, with their keys."""
    config = campaign.config
    own: dict[str, tuple[Names, Where]] = {
        name: (texts, ("prompts", name)) for name, texts in config.prompts.items()
    }
    if config.greeting_override:
        own[_greeting(spec)] = (config.greeting_override, ("greeting_override",))
    return own


def _styled(prompt: PromptSpec, style: Style) -> PromptSpec:
    text = prompt.text if style == "conversational" else prompt.styles.get(style, prompt.text)
    return prompt.model_copy(update={"text": text, "styles": {}})
