"""`appliance sources`: the operator's own systems, and whether they answer. Thin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import structlog
import typer

from appliance.cli.box import print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.config import load_config
from appliance.errors import ConfigError
from appliance.findings import Lookup

if TYPE_CHECKING:
    from appliance.sources.hub import Hub
    from appliance.sources.status import SourceStatus
    from appliance.sources.tools import Tool

sources_app = typer.Typer(
    help="Your own systems that flows ask, as MCP servers (docs/sources.md).", no_args_is_help=True
)


@sources_app.command("list", epilog="Example: appliance sources list --config appliance.toml")
def show(config: ConfigOption = CONFIG) -> None:
    """Connect to all servers, and list them with their tools. A * marks what must be given."""
    with _connected(config) as hub:
        statuses = hub.status().values()
    for each in statuses:
        typer.echo(f"{each.name}: {each.state}{_why(each)}")
        rows = [[f"  {tool.name}", _arguments(tool), tool.purpose] for tool in each.tools]
        if rows:
            print_table(("  tool", "arguments", "what it does"), rows, "")
    if not statuses:
        typer.echo("No source is configured: see [sources] in docs/configuration.md.")


@sources_app.command("check", epilog="Example: appliance sources check --config appliance.toml")
def check(config: ConfigOption = CONFIG) -> None:
    """Connect to all servers and say what is wrong (exit code 1 if anything is)."""
    with _connected(config) as hub:
        statuses = list(hub.status().values())
    for each in statuses:
        good = f"good; {len(each.tools)} tools"
        typer.echo(f"{each.name}: {good if each.state == 'up' else each.state}{_why(each)}")
    if not statuses:
        typer.echo("No source is configured: see [sources] in docs/configuration.md.")
    if any(each.state != "up" or each.missing for each in statuses):
        raise typer.Exit(1)


@sources_app.command(
    "call", epilog="Example: appliance sources call find_person phone=+13105550101"
)
def call(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="As `sources list` shows it")],
    args: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE", help="Its arguments")
    ] = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Call a tool and print what it gives as JSON (exit code 1 if it fails).

    A value is text where the tool wants text, else JSON: 3, true, [1, 2].
    """
    with _connected(config) as hub:
        schema = found.arguments if (found := hub.tool(tool)) is not None else {}
        finding = hub.look_up([Lookup(tool, _values(args or [], schema))])[tool]
    if not finding.ok:
        typer.echo(f"appliance: sources call: {finding.error}", err=True)
        raise typer.Exit(1)
    typer.echo(json.dumps(finding.data, ensure_ascii=False, indent=2))


@contextmanager
def _connected(path: Path) -> Iterator[Hub]:
    """All servers of a configuration, each connected or failed. It is printed, so not logged."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    from appliance.sources.hub import Hub  # noqa: PLC0415 (mcp takes 0.7 s to import)

    hub = Hub(load_config(path).sources, SystemClock())
    hub.start()
    try:
        hub.settle()
        yield hub
    finally:
        hub.close()


def _why(status: SourceStatus) -> str:
    why = f"; {status.why}" if status.why else ""
    remedy = f" ({status.remedy})" if status.remedy else ""
    missing = f"; tools that it lacks: {', '.join(status.missing)}" if status.missing else ""
    return f"{why}{remedy}{missing}"


def _arguments(tool: Tool) -> str:
    required = tool.arguments.get("required", [])
    names = tool.arguments.get("properties", {})
    return " ".join(f"{each}*" if each in required else str(each) for each in names) or "-"


def _values(given: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Read `name=value` as the tool's schema wants it.

    Raises:
        ConfigError: it is not written so.
    """
    values: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise ConfigError(f"sources call: write arguments as name=value, not {each!r}")
        values[name] = value
        if "string" not in _types(schema.get("properties", {}).get(name, {})):
            try:
                values[name] = json.loads(value)
            except ValueError as error:
                raise ConfigError(f"sources call: {name}: {value!r} is no JSON value") from error
    return values


def _types(schema: Mapping[str, Any]) -> set[str]:
    """The types that a value may have; text where the schema does not say."""
    kinds = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    for each in schema.get("anyOf", []):
        found |= _types(each)
    return found or {"string"}
