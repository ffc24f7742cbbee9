"""`appliance flow`: prove, test, draw, write and try flows. Thin: a function for each command."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from appliance.cli import chat as chat_command
from appliance.cli.flow_check import check_flows
from appliance.cli.flow_new import write_new_flow
from appliance.cli.flow_schema import Kind, json_schema
from appliance.cli.flow_test import report, show, simulate_calls, try_flow
from appliance.errors import ConfigError
from appliance.flows.drawing import dot, mermaid, render_svg
from appliance.flows.registry import read_flow, shipped_flows
from appliance.types import Language

flow_app = typer.Typer(help="Prove, test, draw, write and try flows.", no_args_is_help=True)

_NAMED = "Names of shipped flows, or paths of folders; default: all that ship"
FlowsArgument = Annotated[list[str] | None, typer.Argument(metavar="FLOW", help=_NAMED)]
FlowArgument = Annotated[
    str, typer.Argument(metavar="FLOW", help="A shipped flow's name, or the path of a folder")
]
CampaignOption = Annotated[
    Path | None, typer.Option(help="A campaign's file, laid over the (first) flow")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead")]


@flow_app.command("check", epilog="Example: appliance flow check collections --json")
def check(
    flows: FlowsArgument = None,
    as_json: JsonOption = False,
    scenarios: Annotated[
        Path | None, typer.Option(help="Write the failures of one flow as scenarios that show them")
    ] = None,
    campaign: CampaignOption = None,
) -> None:
    """Prove flows, or show the shortest dialogue to each failure (exit code 1)."""
    console = _console()
    named = tuple(flows or shipped_flows())
    proven, reports = check_flows(named, scenarios, console, as_json=as_json, campaign=campaign)
    if as_json:
        _print_json(reports)
    raise typer.Exit(0 if proven else 1)


@flow_app.command("test", epilog="Example: appliance flow test collections --random 10000 --seed 7")
def run_tests(
    flows: FlowsArgument = None,
    calls: Annotated[
        int, typer.Option("--random", min=0, help="Simulated calls to walk through as well")
    ] = 0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same calls")] = 0,
    scenarios: Annotated[
        Path | None, typer.Option(help="Run this file, not those beside the flow")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the scenarios of flows and show what they cover (exit code 1 if one fails)."""
    named = tuple(flows or shipped_flows())
    if scenarios is not None and len(named) != 1:
        raise ConfigError("--scenarios: a scenario belongs to a flow: name just one")
    console, passed, reports = _console(), True, []
    for name in named:
        tested = try_flow(name, scenarios)
        if calls:
            bar = Console(stderr=True, quiet=as_json)
            tested.simulation = simulate_calls(tested.flow, calls, seed, bar)
        passed = passed and tested.passed
        reports.append(report(tested))
        if not as_json:
            show(console, tested)
    if as_json:
        _print_json(reports)
    raise typer.Exit(0 if passed else 1)


class Format(StrEnum):
    """What a flow can be drawn in."""

    SVG = "svg"
    MERMAID = "mermaid"
    DOT = "dot"


@flow_app.command("show", epilog="Example: appliance flow show collections --format mermaid")
def show_flow(
    flow: FlowArgument,
    form: Annotated[Format, typer.Option("--format", help="svg needs Graphviz")] = Format.SVG,
    out: Annotated[
        Path | None, typer.Option(help="The file; default: FLOW.svg, the others go to the screen")
    ] = None,
) -> None:
    """Draw a flow, with its secrets, tools and endings."""
    loaded = read_flow(flow)
    text = mermaid(loaded) if form is Format.MERMAID else dot(loaded)
    if form is Format.SVG:
        text, out = render_svg(text), out or Path(f"{loaded.name}.svg")
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error.strerror}") from error
    typer.echo(f"{out}: {loaded.name} as {form.value}")


@flow_app.command("schema", epilog="Example: appliance flow schema flow > flow.schema.json")
def schema(
    kind: Annotated[
        Kind, typer.Argument(metavar="flow|prompts|scenarios", help="Of which file")
    ] = "flow",
) -> None:
    """Print the JSON Schema of a flow's files, for editors."""
    _print_json(json_schema(kind))


@flow_app.command(
    "new", epilog="Example: appliance flow new parcel_desk --folder flows/parcel_desk"
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower case letters, digits and _")],
    folder: Annotated[
        Path | None, typer.Option(help="Where to write it; default: a folder of that name")
    ] = None,
) -> None:
    """Write a small flow that passes, to be changed into your own."""
    where = folder or Path(name)
    write_new_flow(name, where)
    typer.echo(f"""\
{where}/ holds the flow {name}. It passes as it is:
  appliance flow check {where}     proves it
  appliance flow test {where}      runs scenarios.yaml
  appliance flow chat {where}      lets you try it: you are the caller, the ZIP is 90210
Then change it: flow.yaml (what leads where), prompts.en.yaml (what is said), checks.py (what is
worked out), and check again. docs/flows.md explains every key.""")


def chat(  # noqa: PLR0913, PLR0917 (a command line has as many options as it has)
    flow: FlowArgument = "collections",
    language: Annotated[Language, typer.Option(help="The call begins in it")] = "en",
    number: Annotated[str, typer.Option(help="The caller's number")] = "+13105550100",
    accounts: Annotated[
        Path | None, typer.Option(help="Accounts file; default: the example beside the flow")
    ] = None,
    fail: Annotated[list[str] | None, typer.Option(help="A tool that fails; repeatable")] = None,
    entry: Annotated[
        list[str] | None, typer.Option(help="A fact known at the start, NAME=VALUE; repeatable")
    ] = None,
    show_route: Annotated[bool, typer.Option("--show-route", help="Show the routes taken")] = False,
    store: Annotated[
        Path | None,
        typer.Option(help="Database that the tools work on; default: one that is thrown away"),
    ] = None,
    campaign: CampaignOption = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Ask the sources and documents of this TOML file"),
    ] = None,
    named: Annotated[str | None, typer.Option("--flow", help="The flow, as an option")] = None,
) -> None:
    """Hold the conversation of a flow by text (no telephone, no speech).

    The flow is proven first. What the flow knows, counts and does stands beside each turn. The
    box's tools do what they do in a call; the caller's side is understood by rules. A flow that
    asks sources has the sample ones, unless --config names others.
    """
    options = chat_command.ChatOptions(
        language, number, accounts, tuple(fail or ()), tuple(_pair(each) for each in entry or ()),
        show_route, store, campaign, config,
    )  # fmt: skip
    chat_command.chat(named or flow, options)


flow_app.command("chat", epilog="Example: appliance flow chat collections --language es")(chat)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"--entry: {text}: write NAME=VALUE")
    return name, value


def _console() -> Console:
    return Console(highlight=False, soft_wrap=True)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
