"""The prompts of a flow: each that is named has a text in every language, fit to be said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from appliance.dialogue.honesty import denies_automation, loses_announcement
from appliance.dialogue.properties import conditional_words, finds_word
from appliance.dialogue.property_names import prompts_heard, prompts_named
from appliance.dialogue.routes import asked_prompts, prompts_of_state, routes
from appliance.dialogue.schema import Decision, FlowSpec
from appliance.dialogue.templates import Template, count_sentences
from appliance.types import Language

Templates = Mapping[Language, Mapping[str, Template]]
Named = tuple[tuple[str, ...], str]
_ANY_TIME = ("holding", "holding_again", "transferring", "cut_off", "in_full")
"""Keys of flow.yaml that name prompts which may be said in any state."""


@dataclass(frozen=True, slots=True)
class PromptProblem:
    """A problem with a prompt: in a language's file, or, with `at`, where flow.yaml names it."""

    language: Language
    prompt: str
    said: str
    at: tuple[str, ...] | None = None


def find_prompt_problems(spec: FlowSpec, templates: Templates) -> Iterator[PromptProblem]:
    """Prompts that are missing or may not be said."""
    named = [*said_prompts(spec), *written_prompts(spec)]
    for language, texts in templates.items():
        for at, name in named:
            if name not in texts:
                said = f"no prompt {name} in prompts.{language}.yaml"
                yield PromptProblem(language, name, said, at)
        every = {name for others in templates.values() for name in others}
        for name in sorted(every - set(texts) - {name for _, name in named}):
            yield PromptProblem(language, name, f"has no text in prompts.{language}.yaml")
        yield from _waiting(spec, language, texts)
        yield from _obligations(spec, language, templates)
        for at, name in _questions(spec):
            if name in texts and texts[name].conditional:
                said = f"{name} is asked, so it may not be left out: no only_if or unless"
                yield PromptProblem(language, name, said, at)
        for name, template in texts.items():
            yield from _template(spec, language, name, template)
            if len(template.variants) > 1 and any(name in each for each in spec.texts.values()):
                said = "is part of a text: it has one wording, so that what is judged is said"
                yield PromptProblem(language, name, said)
            if name in spec.takeaways:
                yield from _takeaway(spec, language, name, template)


def find_text_problems(spec: FlowSpec, language: Language, texts: Iterable[str]) -> Iterator[str]:
    """What may not be said, whoever says it: too long, or a denial of being automated."""
    for text in texts:
        sentences = count_sentences(text)
        if sentences > spec.max_sentences:
            yield f"has {sentences} sentences; max_sentences is {spec.max_sentences}"
        if denies_automation(text, language):
            yield "denies being automated; it never may"


def find_speech_problems(language: Language, speeches: Iterable[str]) -> Iterator[str]:
    """Marked texts in which a mark or the lexicon takes away that the call is automated."""
    for speech in speeches:
        if lost := loses_announcement(speech, language):
            yield f"says that the call is automated, but {lost!r} is not heard so: no mark, no IPA"


def _template(
    spec: FlowSpec, language: Language, name: str, template: Template
) -> Iterator[PromptProblem]:
    for variable in template.variables:
        if variable not in spec.variables:
            yield PromptProblem(language, name, f"{{{variable}}} is not under variables")
    for fact in sorted(template.after):
        if spec.facts.get(fact) != "flag":
            yield PromptProblem(language, name, f"after: {fact} is not a flag under facts")
    observed = {fact for facts in spec.observe.values() for fact in facts}
    for fact, value in (*template.only_if, *template.unless):
        kind = spec.facts.get(fact)
        if fact in observed:
            said = f"only_if, unless: {fact} is only observed: set it in routes"
            yield PromptProblem(language, name, said)
        if kind is None or (value is not True and (isinstance(kind, str) or value not in kind)):
            said = f"only_if, unless: {fact} is no fact that can be {value}"
            yield PromptProblem(language, name, said)
    for said in find_text_problems(spec, language, template.proven):
        yield PromptProblem(language, name, said)
    for said in find_speech_problems(language, template.voiced):
        yield PromptProblem(language, name, said)


def _waiting(
    spec: FlowSpec, language: Language, texts: Mapping[str, Template]
) -> Iterator[PromptProblem]:
    """They are rendered before any call, and said wherever one is, so no property stops them."""
    words = conditional_words(spec.properties, language)
    for key in _ANY_TIME:
        prompt = texts.get(getattr(spec, key) or "")
        if prompt is None:
            continue
        if prompt.variables or prompt.conditional or prompt.after:
            said = f"{prompt.id} is said at any time: no variables, after, only_if or unless"
            yield PromptProblem(language, prompt.id, said, (key,))
        found = [word for word in words if any(finds_word(word, text) for text in prompt.proven)]
        if found:
            said = f"{prompt.id} is said at any time: not {', '.join(found)} (see properties)"
            yield PromptProblem(language, prompt.id, said, (key,))


def _obligations(
    spec: FlowSpec, language: Language, templates: Templates
) -> Iterator[PromptProblem]:
    """What must be heard is so in every language, and is either said or asked."""
    asked, said = set(asked_prompts(spec)), {name for _, name in _said_alone(spec)}
    for name, template in templates[language].items():
        if not template.must_hear:
            continue
        if any(name in texts and not texts[name].must_hear for texts in templates.values()):
            yield PromptProblem(language, name, "must_hear: is so in every language, or in none")
        if name in asked and not template.waits:
            yield PromptProblem(
                language, name, "must_hear: later: is asked, so answers wait for it"
            )
        if name in asked and name in said:
            yield PromptProblem(language, name, "must_hear: is both said and asked: make it two")
    for index, name in prompts_heard(spec):
        if name in templates[language] and not templates[language][name].must_hear:
            at = ("properties", str(index))
            yield PromptProblem(language, name, f"heard: {name} has no must_hear", at)


def _takeaway(
    spec: FlowSpec, language: Language, name: str, template: Template
) -> Iterator[PromptProblem]:
    """It is rendered wherever a call ends, so it must name what it needs."""
    facts = {each for each in template.variables if spec.variables[each].source == "fact"}
    for fact in sorted((facts | template.after) - {fact for fact, _ in template.only_if}):
        said = f"is a takeaway and needs {fact}: name it under only_if"
        yield PromptProblem(language, name, said)


def unspoken_prompts(spec: FlowSpec) -> frozenset[str]:
    """Prompts that are written and never said."""
    said = {name for _, name in said_prompts(spec)}
    return frozenset(name for _, name in written_prompts(spec)) - said


def _questions(spec: FlowSpec) -> Iterator[Named]:
    """The prompts that are asked, and the one that must answer, with the place."""
    yield ("automation",), spec.automation
    yield from (((*at, "ask"), route.ask) for at, route in routes(spec) if route.ask)
    for name, state in spec.states.items():
        if isinstance(state, Decision):
            yield from ((("states", name), each) for each in state.prompts)


def _said_alone(spec: FlowSpec) -> Iterator[Named]:
    """Prompts that are said without being asked."""
    for at, route in routes(spec):
        yield from (((*at, "say"), name) for name in route.say)
    for name, state in spec.states.items():
        yield from ((("states", name, "say"), prompt) for prompt in state.say)


def said_prompts(spec: FlowSpec) -> Iterator[Named]:
    """Every prompt that flow.yaml names to be said, with the place."""
    yield ("automation",), spec.automation
    for key in _ANY_TIME:
        name = getattr(spec, key)
        if name is not None:
            yield (key,), name
    for at, route in routes(spec):
        yield from (((*at, "say"), name) for name in route.say)
        if route.ask:
            yield (*at, "ask"), route.ask
    for name, state in spec.states.items():
        yield from ((("states", name), prompt) for prompt in prompts_of_state(state))
    for index, prompt in prompts_named(spec):
        yield ("properties", str(index)), prompt


def written_prompts(spec: FlowSpec) -> Iterator[Named]:
    """Every prompt that is rendered for people to read, with the place."""
    for name, note in spec.notes.items():
        yield from ((("notes", name, "summary"), prompt) for prompt in note.summary)
        yield from ((("notes", name, "recommendations"), each) for each in note.recommendations)
    for name, prompts in spec.texts.items():
        yield from ((("texts", name), prompt) for prompt in prompts)
    yield from ((("takeaways",), prompt) for prompt in spec.takeaways)
