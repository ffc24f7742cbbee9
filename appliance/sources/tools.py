"""A tool of a server: checks what it is given and what it gives against the schemas it declares.

    arguments ── inputSchema ──> call ──> result ── JSON, size, outputSchema ──> value

A server may lie about its schema, so its results are checked here, whoever else has done so. What
does not fit is named by its place in the schema: a value, or a key of the data, is the caller's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import mcp.types
from jsonschema import FormatChecker, SchemaError
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from appliance.errors import SourceError
from appliance.sources.faults import MESSAGE_BYTES, Fault

_FORMATS = FormatChecker(("date",))
_FORMATS.checks("date-time", raises=ValueError)(
    lambda each: not isinstance(each, str) or bool(datetime.fromisoformat(each))
)
_PLACES = {"properties", "items", "$defs", "$ref", "anyOf", "oneOf", "allOf", "prefixItems"}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can be called.

    Attributes:
        name: unique within its server.
        purpose: what it says of itself.
        arguments: JSON schema of its arguments.
        once: whether it says that it changes something with every call; then it is not tried twice.
    """

    name: str
    purpose: str
    arguments: Mapping[str, Any]
    once: bool
    _given: Validator
    _gives: Validator | None

    def check(self, args: Mapping[str, Any]) -> str:
        """What is wrong with arguments; empty if they can be sent."""
        try:
            json.dumps(args, allow_nan=False)
        except (TypeError, ValueError):
            return "the arguments are no JSON"
        found = _misfit(self._given, dict(args))
        return f"the arguments do not fit its inputSchema: {found}" if found else ""

    def read(self, result: mcp.types.CallToolResult) -> Any:
        """The JSON value that a call gave.

        Raises:
            Fault: it failed by its own account, or gave what is no JSON, too much, or a misfit.
        """
        if result.is_error:
            raise Fault("the tool reports an error")
        value = result.structured_content
        if value is None:
            value = _from_text(result.content)
        _measure(value)
        if self._gives is not None and (found := _misfit(self._gives, value)):
            raise Misfit(f"the result does not fit its outputSchema: {found}")
        return value


class Misfit(Fault):
    """A result is not what the tool's schema says; the server may have changed it."""


def read_tool(tool: mcp.types.Tool) -> Tool:
    """Make a listed tool callable.

    Raises:
        SourceError: one of its schemas is none.
    """
    notes = tool.annotations
    return Tool(
        name=tool.name,
        purpose=" ".join((tool.description or "").split()),
        arguments=tool.input_schema,
        once=notes is not None and notes.read_only_hint is False and not notes.idempotent_hint,
        _given=_validator(tool.name, "inputSchema", tool.input_schema),
        _gives=(
            None if tool.output_schema is None
            else _validator(tool.name, "outputSchema", tool.output_schema)
        ),
    )  # fmt: skip


def _validator(tool: str, what: str, schema: dict[str, Any]) -> Validator:
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
    except (SchemaError, Unresolvable, RecursionError) as error:
        raise SourceError(f"the {what} of {tool} is no JSON schema") from error
    # Patterns are not tried: one that takes for ever would hold all of the box, calls too.
    safe: type[Validator] = extend(kind, {"pattern": None, "patternProperties": None})  # type: ignore[no-untyped-call]
    # An empty registry: a $ref must stay within the schema, and nothing is fetched.
    return safe(schema, registry=Registry(), format_checker=_FORMATS)


def _misfit(validator: Validator, value: Any) -> str:
    """Where a value breaks its schema, in words of the schema; empty if it does not."""
    try:
        error = best_match(validator.iter_errors(value))
    except (Unresolvable, RecursionError):
        return "the schema refers to what it does not hold"
    return "" if error is None else _place(error)


def _place(error: ValidationError) -> str:
    path = [str(each) for each in error.absolute_schema_path]
    named = [each for each in path[:-1] if each not in _PLACES and not each.isdigit()]
    rule = path[-1] if path else str(error.validator)
    wanted = error.validator_value
    if error.validator == "required" and isinstance(error.instance, dict):
        missing = [each for each in wanted if each not in error.instance]  # type: ignore[union-attr]
        rule = f"{', '.join(map(str, missing))} missing"
    return f"{'.'.join(named)}: {rule}" if named else rule


def _from_text(content: list[mcp.types.ContentBlock]) -> Any:
    match content:
        case [mcp.types.TextContent(text=text)]:
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                raise Fault("the result is a text, and no JSON") from None
    raise Fault("the result holds no JSON")


def _measure(value: Any) -> None:
    """Refuse what cannot be stored as JSON text, and what is too long."""
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError):
        raise Fault("the result is no JSON") from None
    if size > MESSAGE_BYTES:
        raise Fault(f"the result is longer than {MESSAGE_BYTES // 1024} KiB")
