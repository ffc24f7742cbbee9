"""`appliance policy`: what a flow may answer, held against its own examples and against a text."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from appliance.errors import ConfigError
from appliance.flows.registry import read_flow
from appliance.flows.status.policy import Draft, PolicyFile, Verdict, judge, run_examples

policy_app = typer.Typer(help="Judge replies by the policy.yaml of a flow.", no_args_is_help=True)

FlowArgument = Annotated[str, typer.Argument(help="A shipped flow, or a folder with flow.yaml")]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON")]


@policy_app.command("check", epilog="Example: appliance policy check status")
def check(flow: FlowArgument = "status", as_json: JsonOption = False) -> None:
    """Judge every example of a policy; exit code 1 if one is not judged as it says."""
    policy = _policy(flow)
    problems = run_examples(policy)
    if as_json:
        typer.echo(json.dumps({"examples": len(policy.examples), "problems": problems}))
    else:
        for problem in problems:
            typer.echo(f"✗ {problem}")
        typer.echo(f"{len(policy.examples) - len(problems)} of {len(policy.examples)} examples of "
                   f"{flow} are judged as they say")  # fmt: skip
    raise typer.Exit(1 if problems else 0)


@policy_app.command(
    "try",
    epilog='Example: appliance policy try status "Your payment was paid." '
    "--intent payment_status --age payments=2",
)
def try_(
    flow: FlowArgument,
    text: Annotated[str, typer.Argument(help="The reply")],
    intent: Annotated[list[str] | None, typer.Option(help="What it answers")] = None,
    age: Annotated[
        list[str] | None, typer.Option(help="What it rests on, and its age: SOURCE=HOURS")
    ] = None,
    contradiction: Annotated[
        list[str] | None, typer.Option(help="A rule that applies to the data")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="A guide that it quotes")] = None,
) -> None:
    """Judge one reply; exit code 1 if it would not be sent."""
    draft = Draft(
        text=text, intents=tuple(intent or ()), ages=dict(_aged(each) for each in age or ()),
        contradictions=tuple(contradiction or ()), sources=tuple(source or ()),
    )  # fmt: skip
    verdict = judge(_policy(flow), draft)
    typer.echo("\n".join(_lines(verdict)))
    raise typer.Exit(0 if verdict.overall_passed else 1)


def _policy(flow: str) -> PolicyFile:
    policy = read_flow(flow).data.get("policy")
    if not isinstance(policy, PolicyFile):
        raise ConfigError(f"flow {flow} has no policy.yaml that its checks read (DATA)")
    return policy


def _aged(given: str) -> tuple[str, float]:
    name, _, hours = given.partition("=")
    try:
        return name, float(hours)
    except ValueError as error:
        raise ConfigError(f"--age: {given}: give SOURCE=HOURS, such as payments=2") from error


def _lines(verdict: Verdict) -> list[str]:
    lines = [
        f"{'✓' if each.passed else '✗'} {each.name}{': ' if each.detail else ''}{each.detail}"
        for each in verdict.checks
    ]
    return [*lines, "it would be sent" if verdict.overall_passed else "a person would take over"]
