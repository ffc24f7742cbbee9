"""`appliance flow schema`: JSON Schema of the files of a flow, for editors.

What the loader takes, the schema takes; what it cannot say (cross references, "exactly one of")
is left to `appliance flow check`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from pydantic import TypeAdapter

from appliance.dialogue.schema import FlowSpec, PromptFile
from appliance.flows.scenario import Scenario

Kind = Literal["flow", "prompts", "scenarios"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kind: Kind) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of flow.yaml, prompts.LANGUAGE.yaml or scenarios.yaml."""
    return {"$schema": _DRAFT, **_SCHEMAS[kind]()}


def _scenarios() -> dict[str, Any]:
    schema: dict[str, Any] = _scalars(TypeAdapter(list[Scenario]).json_schema())
    return schema


def _scalars(schema: Any) -> Any:
    """Scenarios are read as text, so wherever there may be a text, `no` and 90210 may stand."""
    if isinstance(schema, list):
        return [_scalars(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _scalars(value) for key, value in schema.items() if key != "format"}
    if inner.get("type") == "string" and "enum" not in inner:
        inner["type"] = ["string", "number", "boolean"]
    return inner


_SCHEMAS: dict[Kind, Callable[[], dict[str, Any]]] = {
    "flow": FlowSpec.model_json_schema,
    "prompts": PromptFile.model_json_schema,
    "scenarios": _scenarios,
}
