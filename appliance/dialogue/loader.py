"""Reads a flow from its folder: flow.yaml, prompts, passages, and the checks given to it.

The only I/O of the dialogue. Whatever is wrong is a `ConfigError` with file, line and remedy. A
flow that loads has names that fit; that it keeps its promises, `checker` proves.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from appliance.dialogue.campaign import Campaign, serialize_campaign
from appliance.dialogue.checks import Check
from appliance.dialogue.constants import fill_constants
from appliance.dialogue.declarations import FlowPart
from appliance.dialogue.flow import Flow
from appliance.dialogue.lexicon import find_lexicon_problems
from appliance.dialogue.names import find_name_problems
from appliance.dialogue.overlay import lay_over
from appliance.dialogue.passages import FOLDER, Source, find_missing, read_passages
from appliance.dialogue.prompt_names import (
    find_prompt_problems,
    find_speech_problems,
    find_text_problems,
)
from appliance.dialogue.schema import FlowSpec, PromptFile
from appliance.dialogue.templates import Template, parse_template
from appliance.dialogue.voicing import Voicing
from appliance.dialogue.yamlfile import Document, read_document
from appliance.errors import ConfigError
from appliance.types import Language


def load_flow(
    folder: Path,
    checks: Iterable[Check],
    code: bytes = b"",
    campaign: Campaign | None = None,
    models: Mapping[str, type[FlowPart]] | None = None,
) -> Flow:
    """Load a flow and see that its parts fit together.

    Args:
        folder: holds flow.yaml and prompts.LANGUAGE.yaml.
        checks: what the flow may name as checks.
        code: the source of the checks; part of the flow's version.
        campaign: what an operator changes of it; it is laid over the files before they are checked.
        models: what the files NAME.yaml are that its checks read, by name.

    Raises:
        ConfigError: one line per problem, each with file, line where known, and remedy.
    """
    flow = read_document(folder / "flow.yaml", FlowSpec)
    prompts = _read_prompts(folder)
    if campaign is not None:
        flow, prompts = lay_over(flow, prompts, campaign)
    spec = flow.content
    unsayable = find_lexicon_problems(spec.lexicon, tuple(prompts), spec.properties)
    if wrong := [flow.at(where, said) for where, said in unsayable]:
        raise ConfigError("\n".join(wrong))  # now, for every text is made with it
    templates = {language: _templates(document, spec) for language, document in prompts.items()}
    named = {check.name: check for check in checks}
    passages = read_passages(folder, spec.lexicon)
    data = {
        name: read_document(folder / f"{name}.yaml", model).content
        for name, model in (models or {}).items()
    }
    if campaign is not None:
        passages = {language: found for language, found in passages.items() if language in prompts}
    problems = list(_problems(flow, prompts, templates, named))
    problems += _passage_problems(flow, passages, tuple(templates))
    if problems:
        raise ConfigError("\n".join(dict.fromkeys(problems)))
    texts = {language: document.content.model_dump() for language, document in prompts.items()}
    answers = {
        language: {name: passage for name, (passage, _) in found.items()}
        for language, found in passages.items()
    }
    answered = [asdict(each) for found in answers.values() for each in found.values()]
    parts: list[object] = [spec.model_dump(), texts, answered]
    parts += [each.model_dump(mode="json") for each in data.values()]
    if campaign is None:
        return Flow(spec, templates, named, _hash(parts, code), folder, answers, data)
    version = _hash([*parts, serialize_campaign(campaign)], code)
    seed = campaign.config.seed
    return Flow(spec, templates, named, version, folder, answers, data, campaign.name, seed)


def _read_prompts(folder: Path) -> Mapping[Language, Document[PromptFile]]:
    prompts: dict[Language, Document[PromptFile]] = {}
    for path in sorted(folder.glob("prompts.*.yaml")):
        document = read_document(path, PromptFile)
        language = document.content.language
        if path.name != f"prompts.{language}.yaml":
            raise ConfigError(f"{path}: says language {language}: rename it or mend that")
        prompts[language] = document
    if not prompts:
        raise ConfigError(f"{folder}: no prompts.LANGUAGE.yaml, e.g. prompts.en.yaml")
    return prompts


def _problems(
    flow: Document[FlowSpec],
    prompts: Mapping[Language, Document[PromptFile]],
    templates: Mapping[Language, Mapping[str, Template]],
    checks: Mapping[str, Check],
) -> Iterator[str]:
    spec = flow.content
    for where, said in find_name_problems(spec, checks, tuple(templates)):
        yield flow.at(where, said)
    for problem in find_prompt_problems(spec, templates):
        if problem.at is not None:
            yield flow.at(problem.at, problem.said)
        else:
            yield prompts[problem.language].at(("prompts", problem.prompt), problem.said)


def _templates(document: Document[PromptFile], spec: FlowSpec) -> dict[str, Template]:
    found = {}
    language = document.content.language
    voicing = Voicing(language, spec.lexicon.get(language))
    for name, prompt in document.content.prompts.items():
        try:
            worded = fill_constants(prompt, spec.variables, language)
            found[name] = parse_template(name, worded, spec, voicing)
        except ValueError as error:
            raise ConfigError(document.at(("prompts", name), str(error))) from error
    return found


def _passage_problems(
    flow: Document[FlowSpec],
    passages: Mapping[Language, Mapping[str, Source]],
    languages: tuple[Language, ...],
) -> Iterator[str]:
    spec = flow.content
    if "passage" in spec.facts.values() and not passages:
        yield flow.at(("facts",), f"a fact is a passage, but there is no {FOLDER}/TOPIC.en.yaml")
    texts = {
        language: {n: p for n, (p, _) in found.items()} for language, found in passages.items()
    }
    for said in find_missing(texts, languages) if passages else ():
        yield flow.at(("flow",), said)
    for language, found in passages.items():
        for name, (passage, document) in found.items():
            problems = find_text_problems(spec, language, passage.proven)
            for said in (*problems, *find_speech_problems(language, [passage.speech])):
                yield document.at(("passages", name), said)


def _hash(parts: object, code: bytes) -> str:
    """Names this version of a flow and the code of its checks: 16 hexadecimals of a SHA-256."""
    whole = json.dumps(parts)  # the order of `universal` is part of it
    return hashlib.sha256(whole.encode() + b"\0" + code).hexdigest()[:16]
