from typing import Any

import mcp.types
import pytest

from appliance.errors import SourceError
from appliance.sources.faults import MESSAGE_BYTES, Fault
from appliance.sources.tools import Misfit, Tool, read_tool

PERSON = {
    "type": "object",
    "properties": {"person_id": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["person_id"],
    "additionalProperties": False,
}
LIST = {
    "$defs": {
        "Application": {
            "type": "object",
            "properties": {"status": {"enum": ["received"]}, "on": {"format": "date"}},
            "required": ["status"],
        }
    },
    "type": "object",
    "properties": {
        "as_of": {"type": "string", "format": "date-time"},
        "applications": {"type": "array", "items": {"$ref": "#/$defs/Application"}},
    },
    "required": ["applications"],
}


def tool(gives: dict[str, Any] | None = None, **notes: Any) -> Tool:
    annotations = mcp.types.ToolAnnotations(**notes) if notes else None
    return read_tool(
        mcp.types.Tool(
            name="t", description=" What\n it  does. ", input_schema=PERSON, output_schema=gives,
            annotations=annotations,
        )
    )  # fmt: skip


def result(value: Any = None, *texts: str, is_error: bool = False) -> mcp.types.CallToolResult:
    content: list[Any] = [mcp.types.TextContent(type="text", text=each) for each in texts]
    return mcp.types.CallToolResult(content=content, structured_content=value, is_error=is_error)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "person_id missing"),
        ({"person_id": 90210}, "person_id: type"),
        ({"person_id": "x", "limit": "90210"}, "limit: type"),
        ({"person_id": "x", "90210": 1}, "additionalProperties"),
        ({"person_id": object()}, "no JSON"),
        ({"person_id": "x", "limit": float("nan")}, "no JSON"),
    ],
)
def test_arguments_are_checked_and_not_quoted(args: dict[str, Any], said: str) -> None:
    found = tool().check(args)
    assert said in found
    assert "90210" not in found


def test_good_arguments() -> None:
    assert tool().check({"person_id": "p-1001", "limit": 3}) == ""


def test_structured_content_comes_first() -> None:
    assert tool().read(result({"a": 1}, '{"b": 2}')) == {"a": 1}


@pytest.mark.parametrize("text", ['{"a": [1, null]}', "[]", "3", '"x"'])
def test_one_text_of_json_is_read(text: str) -> None:
    assert tool().read(result(None, text)) in ({"a": [1, None]}, [], 3, "x")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (result(None, "Maria is fine"), "no JSON"),
        (result(None), "holds no JSON"),
        (result(None, "{}", "{}"), "holds no JSON"),
        (result(None, '{"n": NaN}'), "no JSON"),
        (result(None, '{"t": "\\ud800"}'), "no JSON"),
        (result(None, "[" * 100_000), "no JSON"),
        (result({"x": float("inf")}), "no JSON"),
        (result({"x": "y" * MESSAGE_BYTES}), "longer than 512 KiB"),
        (result({"a": 1}, "no such person: Maria", is_error=True), "reports an error"),
    ],
)
def test_garbage_is_refused_and_not_quoted(given: mcp.types.CallToolResult, said: str) -> None:
    with pytest.raises(Fault, match=said) as fault:
        tool().read(given)
    assert "Maria" not in str(fault.value)
    assert not fault.value.again


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "applications missing"),
        ([], "type"),
        ({"applications": "secret"}, "applications: type"),
        ({"applications": [{"status": "secret"}]}, r"applications\.status: enum"),
        ({"applications": [{}]}, "status missing"),
        ({"applications": [{"status": "received", "on": "secret"}]}, r"\.on: format"),
        ({"applications": [], "as_of": "secret"}, "as_of: format"),
    ],
)
def test_a_misfit_is_named_by_its_place_in_the_schema(value: Any, said: str) -> None:
    with pytest.raises(Misfit, match=said) as fault:
        tool(LIST).read(result(value))
    assert "secret" not in str(fault.value)


def test_what_fits() -> None:
    value = {
        "as_of": "2026-11-22T10:00:00+01:00",
        "applications": [{"status": "received", "on": "2026-11-22"}],
    }
    assert tool(LIST).read(result(value)) == value


@pytest.mark.parametrize(
    "schema", [{"type": "nonsense"}, {"properties": 3}, {"required": "person_id"}]
)
def test_a_schema_that_is_none_makes_the_tool_unusable(schema: dict[str, Any]) -> None:
    with pytest.raises(SourceError, match="outputSchema of t is no JSON schema"):
        tool(schema)


@pytest.mark.parametrize(
    "schema", [{"$ref": "https://example.com/schema.json"}, {"$ref": "#"}, {"$ref": "#/$defs/no"}]
)
def test_nothing_is_fetched_for_a_schema(schema: dict[str, Any]) -> None:
    with pytest.raises(Misfit, match="refers to what it does not hold"):
        tool(schema).read(result({}))


def test_what_is_said_to_change_something_is_called_once() -> None:
    assert not tool().once
    assert not tool(read_only_hint=True).once
    assert not tool(read_only_hint=False, idempotent_hint=True).once
    assert tool(read_only_hint=False).once


def test_purpose_is_one_line() -> None:
    assert tool().purpose == "What it does."
