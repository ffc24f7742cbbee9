"""Approved answers: passages that a flow may say in answer to questions, one text each.

    knowledge/permits.en.yaml ── read_passages ──> Passage(id, topic, questions, text)

Which passage answers a question, a check of the flow decides (see `appliance.knowledge`); what is
said is the passage as it was approved, never a sentence made of several. They are part of the
flow: checked like its prompts, and covered by its hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from appliance.dialogue.declarations import FlowPart
from appliance.dialogue.markup import assert_authored, escape, heard, parse, plain
from appliance.dialogue.voicing import Voicing
from appliance.dialogue.yamlfile import Document, read_document
from appliance.errors import ConfigError
from appliance.types import Language

FOLDER = "knowledge"
PATTERN = f"{FOLDER}/*.*.yaml"


class PassageSpec(FlowPart):
    """One answer, and questions that it answers, as callers would ask them."""

    questions: Annotated[tuple[str, ...], Field(min_length=1)]
    text: Annotated[str, Field(min_length=1)]


class PassageFile(FlowPart):
    """A whole knowledge/TOPIC.LANGUAGE.yaml."""

    language: Literal["en", "es"]
    topic: str
    passages: dict[str, PassageSpec]


@dataclass(frozen=True, slots=True)
class Passage:
    """An approved answer in one language: plain, and as `speech` with its marks (`markup`)."""

    id: str
    topic: str
    questions: tuple[str, ...]
    text: str
    speech: str = ""

    def __post_init__(self) -> None:
        if not self.speech:
            object.__setattr__(self, "speech", escape(self.text))

    @property
    def proven(self) -> tuple[str, ...]:
        """The text, and what is heard where marks make that differ."""
        return tuple(dict.fromkeys((self.text, heard(self.speech))))


Passages = Mapping[Language, Mapping[str, Passage]]
Source = tuple[Passage, Document[PassageFile]]


def read_passages(
    folder: Path, lexicon: Mapping[Language, Mapping[str, str]] | None = None
) -> dict[Language, dict[str, Source]]:
    """Every passage of a flow's folder by language and id, each with the file it is from.

    Args:
        folder: the flow's.
        lexicon: how it says words, by language.

    Raises:
        ConfigError: a file cannot be read, is named otherwise than what it says, or two passages
            have the same id; with file and line.
    """
    found: dict[Language, dict[str, Source]] = {}
    for path in sorted(folder.glob(PATTERN)):
        document = read_document(path, PassageFile)
        content = document.content
        if path.name != f"{content.topic}.{content.language}.yaml":
            said = f"says topic {content.topic} and language {content.language}"
            raise ConfigError(f"{path}: {said}: rename it or mend that")
        known = found.setdefault(content.language, {})
        voicing = Voicing(content.language, (lexicon or {}).get(content.language))
        for name, spec in content.passages.items():
            if name in known:
                other = known[name][1].path.name
                raise ConfigError(document.at(("passages", name), f"is also in {other}"))
            text = " ".join(spec.text.split())
            try:
                assert_authored(text)
                speech = voicing.text(text)
                parse(speech)
            except ValueError as error:
                raise ConfigError(document.at(("passages", name), str(error))) from error
            passage = Passage(name, content.topic, spec.questions, plain(text), speech)
            known[name] = (passage, document)
    return found


def find_missing(passages: Passages, languages: tuple[Language, ...]) -> Iterator[str]:
    """Passages that are not in every language that the flow speaks."""
    every = {name for texts in passages.values() for name in texts}
    for language in languages:
        for name in sorted(every - set(passages.get(language, ()))):
            yield f"passage {name} has no text in {FOLDER}/TOPIC.{language}.yaml"
