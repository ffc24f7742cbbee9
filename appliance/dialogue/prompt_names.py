"""The prompts of a flow: each that is named has a text in every language, fit to be said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from appliance.dialogue.flow import prompts_of_state, routes
from appliance.dialogue.property_names import prompts_named
from appliance.dialogue.schema import FlowSpec
from appliance.dialogue.templates import Template
from appliance.types import Language

Templates = Mapping[Language, Mapping[str, Template]]


@dataclass(frozen=True, slots=True)
class PromptProblem:
    """A problem with a prompt: in a language's file, or, with `at`, where flow.yaml names it."""

    language: Language
    prompt: str
    said: str
    at: tuple[str, ...] | None = None


_DENIALS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(not (a|an|just a) (\w+ )?(robot|bot|machine|computer|recording|automated|ai)\b"
        r"|(am|i'm|speaking (to|with)) (a|an) (real|live|actual|human|living) (person|human|being)"
        r"|i'?\s?a?m (a )?human\b)",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(no (soy|es|está hablando con) (un|una) (\w+ )?(robot|m[aá]quina|computadora|bot|"
        r"grabaci[oó]n)|soy (un|una) (persona|humano|humana|ser humano))",
        re.IGNORECASE,
    ),
}
"""Sentences that deny being automated: a caller who asks must be told the truth."""


def find_prompt_problems(spec: FlowSpec, templates: Templates) -> Iterator[PromptProblem]:
    """Prompts that are missing or may not be said."""
    named = list(_named(spec))
    for language, texts in templates.items():
        for at, name in named:
            if name not in texts:
                said = f"no prompt {name} in prompts.{language}.yaml"
                yield PromptProblem(language, name, said, at)
        every = {name for others in templates.values() for name in others}
        for name in sorted(every - set(texts) - {name for _, name in named}):
            yield PromptProblem(language, name, f"has no text in prompts.{language}.yaml")
        for name, template in texts.items():
            yield from _template(spec, language, name, template)


def _template(
    spec: FlowSpec, language: Language, name: str, template: Template
) -> Iterator[PromptProblem]:
    for variable in template.variables:
        if variable not in spec.variables:
            yield PromptProblem(language, name, f"{{{variable}}} is not under variables")
    for fact in sorted(template.after):
        if spec.facts.get(fact) != "flag":
            yield PromptProblem(language, name, f"after: {fact} is not a flag under facts")
    if template.sentences > spec.max_sentences:
        limit = f"has {template.sentences} sentences; max_sentences is {spec.max_sentences}"
        yield PromptProblem(language, name, limit)
    for text in template.shown:
        if _DENIALS[language].search(text):
            yield PromptProblem(language, name, "denies being automated; it never may")


def _named(spec: FlowSpec) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every prompt that flow.yaml names, with the place."""
    yield ("automation",), spec.automation
    for at, route in routes(spec):
        yield from (((*at, "say"), name) for name in route.say)
        if route.ask:
            yield (*at, "ask"), route.ask
    for name, state in spec.states.items():
        yield from ((("states", name), prompt) for prompt in prompts_of_state(state))
    for name, note in spec.notes.items():
        if note.summary:
            yield ("notes", name, "summary"), note.summary
    for index, prompt in prompts_named(spec):
        yield ("properties", str(index)), prompt
