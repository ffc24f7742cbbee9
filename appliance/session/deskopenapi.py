"""The OpenAPI 3.1 description of the own desk's API, made of the forms that bodies are read by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic.json_schema import models_json_schema

from appliance.session.deskforms import (
    Attribute,
    ConversationList,
    ConversationView,
    Created,
    Form,
    NewConversation,
    NewMessage,
    NewNote,
    Note,
    Snooze,
    Trouble,
)

_ONE = "/v1/conversations/{conversation}"
_FILTERS = {
    "open": ("boolean", "true: not closed"),
    "snoozed": ("boolean", "true: hidden from the people of the desk now"),
    "status": ("string", "Value of the attribute melvin_status"),
    "updated_since": ("string", "Moment with its zone; a + is written %2B"),
    "after": ("integer", "Ids greater than this; see next"),
    "limit": ("integer", "1 to 200, default 50"),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One route: `body` is what it takes, `gives` what it answers with `status`."""

    path: str
    method: str
    summary: str
    gives: type[Form]
    status: int = 200
    body: type[Form] | None = None
    has_key: bool = False
    query: tuple[str, ...] = ()


OPERATIONS = (
    Operation("/v1/conversations", "post", "Begin a conversation with its first message", Created,
              201, NewConversation, has_key=True),
    Operation("/v1/conversations", "get", "List conversations", ConversationList,
              query=tuple(_FILTERS)),
    Operation(_ONE, "get", "Read a conversation with its messages", ConversationView,
              query=("view",)),
    Operation(f"{_ONE}/messages", "post", "Write a message of the user's or of a person's", Created,
              201, NewMessage, has_key=True),
    Operation(f"{_ONE}/notes", "post", "Write an internal note", Note, 201, NewNote, has_key=True),
    Operation(f"{_ONE}/attributes/{{name}}", "put", "Set an attribute", ConversationView,
              body=Attribute),
    Operation(f"{_ONE}/snooze", "put", "Hide it until then", ConversationView, body=Snooze),
    Operation(f"{_ONE}/snooze", "delete", "Show it again", ConversationView),
    Operation(f"{_ONE}/close", "post", "Close it", ConversationView),
    Operation(f"{_ONE}/hand-back", "post", "Give it back to the agent", ConversationView),
)  # fmt: skip


def describe() -> dict[str, Any]:
    """The whole document."""
    forms = {form for each in OPERATIONS for form in (each.gives, each.body) if form} | {Trouble}
    _, schemas = models_json_schema(
        [(form, "validation") for form in sorted(forms, key=lambda form: form.__name__)],
        ref_template="#/components/schemas/{model}",
    )
    paths: dict[str, dict[str, Any]] = {}
    for each in OPERATIONS:
        paths.setdefault(each.path, {})[each.method] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Helpdesk of the appliance", "version": "1"},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas["$defs"],
        },
    }


def _operation(each: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": each.summary,
        "parameters": _parameters(each),
        "responses": {
            str(each.status): {"description": "Done", "content": _json(each.gives)},
            "default": {"description": "Refused or failed", "content": _json(Trouble)},
        },
    }
    if each.body is not None:
        described["requestBody"] = {"required": True, "content": _json(each.body)}
    return described


def _parameters(each: Operation) -> list[dict[str, Any]]:
    named: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in ("conversation", "name")
        if f"{{{name}}}" in each.path
    ]
    for name in each.query:
        kind, what = _FILTERS.get(name, ("string", "user (default) or admin"))
        named.append({"name": name, "in": "query", "description": what, "schema": {"type": kind}})
    if each.has_key:
        named.append(
            {"name": "Idempotency-Key", "in": "header", "required": True,
             "description": "The same again makes nothing twice",
             "schema": {"type": "string", "minLength": 1, "maxLength": 128}}
        )  # fmt: skip
    return named


def _json(form: type[Form]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{form.__name__}"}}}
