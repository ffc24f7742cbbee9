"""What an operator may change about a flow for one campaign, and what no campaign may.

    spring.yaml, or a row of the database ──> Campaign(name, config) ── overlay ──> another Flow

A campaign changes words and fixed values. What is asked, decided and done stays the flow's: there
is no key for it. The keys of systems in which a model writes the sentences are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from appliance.dialogue.declarations import FlowPart, Names, VariableType
from appliance.dialogue.schema import Style
from appliance.dialogue.yamlfile import Document, read_document
from appliance.errors import ConfigError
from appliance.types import Language

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

NO_MODEL = {
    "system_prompt_override": "there is no model to instruct; change sentences under `prompts`",
    "tools_context": "there is no model to tell of tools; what is done is in flow.yaml",
    "temperature": "no model writes these sentences; for the same wording in every call set `seed`",
    "max_tokens": "no model writes these sentences; their length is limited by `max_sentences`",
}
"""Keys that only make sense where a language model writes what is said, and what to do instead."""


def _variable(value: Any) -> Any:
    return {"value": value} if isinstance(value, str) else value


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class ContextVariable(FlowPart):
    """A fixed value that prompts may name, written as in an account: money is "49.00"."""

    value: str
    type: VariableType | None = Field(
        None, description="How it is said; default: as the flow declares it, else text"
    )


class CampaignConfig(FlowPart):
    """A whole campaign file. Texts are in the campaign's language and may be several variants."""

    greeting_override: Names = Field((), description="In place of the first prompt of the call")
    compliance_text: Names = Field(
        (), description="Said right after the greeting, and not to be interrupted"
    )
    response_style: Style = Field("conversational", description="Which texts of the flow are said")
    language: Language = Field("en", description="The one language of the campaign's calls")
    max_sentences: int | None = Field(
        None, ge=1, le=20, description="Longest prompt; at most the flow's own limit"
    )
    context_variables: dict[
        str,
        Annotated[
            ContextVariable,
            BeforeValidator(_variable, json_schema_input_type=ContextVariable | str),
        ],
    ] = Field({}, description="Values for `{name}` in prompts")
    lexicon: dict[str, str] = Field(
        {}, description="How words are said: another spelling, or IPA as /nwˈɛn/"
    )
    prompts: dict[str, Names] = Field({}, description="Texts in place of the flow's, by name")
    seed: Annotated[str | None, BeforeValidator(_text, json_schema_input_type=str | int | None)] = (
        Field(None, min_length=1, max_length=64, description="Makes every call choose alike")
    )

    @model_validator(mode="before")
    @classmethod
    def _no_model(cls, data: Any) -> Any:
        found = [name for name in NO_MODEL if isinstance(data, Mapping) and name in data]
        if found:
            raise ValidationError.from_exception_data(
                cls.__name__,
                [
                    InitErrorDetails(
                        type=PydanticCustomError("no_model", "{why}", {"why": NO_MODEL[name]}),
                        loc=(name,),
                        input=None,
                    )
                    for name in found
                ],
            )
        return data


@dataclass(frozen=True, slots=True)
class Campaign:
    """A configuration with its name; `document` where it was read from a file."""

    name: str
    config: CampaignConfig
    document: Document[CampaignConfig] | None = None

    def place(self, *where: str) -> str:
        """Where a key stands, for messages."""
        if self.document is None:
            return f"campaign {self.name}: {'.'.join(where)}"
        return self.document.at(where, "").removesuffix(": ")


def read_campaign(path: Path, name: str = "") -> Campaign:
    """Read a campaign's file (YAML or JSON); its name is the file's, if no other is given.

    Raises:
        ConfigError: one line per problem, with file, line and remedy.
    """
    document = read_document(path, CampaignConfig)
    return Campaign(campaign_name(name or path.stem), document.content, document)


def parse_campaign(name: str, data: object) -> Campaign:
    """A campaign from stored data.

    Raises:
        ConfigError: one line per problem, with the key.
    """
    try:
        return Campaign(campaign_name(name), CampaignConfig.model_validate(data))
    except ValidationError as error:
        lines = (
            f"campaign {name}: {'.'.join(map(str, each['loc']))}: {each['msg']}"
            for each in error.errors()
        )
        raise ConfigError("\n".join(lines)) from error


def serialize_campaign(campaign: Campaign) -> dict[str, Any]:
    """The keys that were set, as JSON's values; `parse_campaign` reads them."""
    return campaign.config.model_dump(mode="json", exclude_defaults=True)


def campaign_name(name: str) -> str:
    """A name that may be stored.

    Raises:
        ConfigError: it is not one.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"campaign {name!r}: a name is of a-z, 0-9, _ and -, at most 64 of them")
    return name
