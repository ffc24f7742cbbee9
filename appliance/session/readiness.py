"""What is made sure of before a flow takes a call: accounts that fit, sentences to render."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, product

import structlog

from appliance.dialogue.flow import Flow
from appliance.dialogue.prompt_names import unspoken_prompts
from appliance.dialogue.rehearsal import sample_fact
from appliance.dialogue.slot_samples import slot_samples
from appliance.errors import ConfigError
from appliance.store.accounts import AccountBook
from appliance.tts.cache import Wanted
from appliance.tts.sentences import fixed_sentences
from appliance.tts.slots import slot_sentences
from appliance.types import Language


def check_accounts(flows: Iterable[Flow], accounts: AccountBook, language: Language) -> None:
    """Bind the flows to every account, so that a mistake is found now and not in a call.

    Raises:
        ConfigError: an account lacks what the flow needs; names the account, not its data.
    """
    flows = tuple(flows)
    for flow, (number, account) in product(flows, accounts.all().items()):
        entry = {name: sample_fact(flow, name) for name in flow.spec.entry}
        try:
            flow.bind("check", account, language, entry=entry)
        except ConfigError as error:
            raise ConfigError(f"call.accounts: {number}: {error}") from error
    if not accounts.all() and any(flow.needs_account for flow in flows):
        structlog.get_logger().warning("no accounts: every caller will be refused (480)")


def check_languages(flows: Iterable[Flow], language: Language) -> None:
    """Assert that flows have prompts in the language of the box's calls.

    Raises:
        ConfigError: one has none.
    """
    for flow in flows:
        if language not in flow.languages:
            raise ConfigError(
                f"call.language: flow {flow.name} has no prompts.{language}.yaml; "
                f"its languages: {', '.join(flow.languages)}"
            )


def check_intents(flows: Iterable[Flow], known: frozenset[str]) -> None:
    """Assert that understanding can report the intents that flows have of their own.

    Raises:
        ConfigError: the model was not trained on one.
    """
    for flow in flows:
        unknown = sorted(set(flow.spec.intents) - known)
        if unknown:
            raise ConfigError(
                f"flow {flow.name}: the intent model does not know {', '.join(unknown)}: "
                "appliance intents train FOLDER_OF_EXAMPLES"
            )


def sentences_of(flows: Iterable[Flow], language: Language) -> list[str]:
    """Every sentence that these flows may say and that never varies, marked, once each."""
    flows = tuple(flows)
    spoken = (text for flow in flows for text in _speeches(flow, language))
    passages = (
        passage.speech for flow in flows for passage in flow.passages.get(language, {}).values()
    )
    texts = chain(spoken, passages)
    return list(dict.fromkeys(each for text in texts for each in fixed_sentences(text)))


def wanted_of(flows: Iterable[Flow], language: Language) -> list[Wanted]:
    """What is rendered before these flows take a call: fixed sentences, and heads of the others.

    Raises:
        ConfigError: a flow has no prompts in this language.
    """
    flows = tuple(flows)
    check_languages(flows, language)
    slotted = (
        sentence
        for flow in flows
        for first, second in (slot_samples(flow, language),)
        for text in _speeches(flow, language)
        for sentence in slot_sentences(text, first, second)
    )
    return list(dict.fromkeys((*sentences_of(flows, language), *slotted)))


def _speeches(flow: Flow, language: Language) -> Iterator[str]:
    """The marked templates of all prompts that a call may say."""
    unspoken = unspoken_prompts(flow.spec)
    for name, template in flow.templates[language].items():
        if name not in unspoken:
            yield from template.speeches


def voices_of(flows: Iterable[Flow]) -> list[str]:
    """The names of the voices that these flows are spoken in, once each."""
    return list(dict.fromkeys(name for flow in flows for name in flow.spec.voices))
