"""`appliance calls`: what became of each call. Thin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from appliance.cli.box import opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.cli.summary import summary
from appliance.errors import ConfigError
from appliance.store.papers import CARD, Papers

calls_app = typer.Typer(help="What became of each call.", no_args_is_help=True)
calls_app.command("summary", epilog="Example: appliance calls summary 1b4e28ba")(summary)


@calls_app.command("list", epilog="Example: appliance calls list --last 50")
def show(
    last: Annotated[int, typer.Option(min=1, help="How many")] = 20,
    config: ConfigOption = CONFIG,
) -> None:
    """List the last calls that have a card."""
    with opened(config) as box:
        found = Papers(box.database, CARD).latest(last)
    rows = [
        [f"{at.astimezone():%Y-%m-%d %H:%M}", card["number"], card["card_headline"],
         f"{card['complete_percent']} %", call]
        for call, at, card in found
    ]  # fmt: skip
    print_table(("at", "number", "what", "known", "call"), rows, "No call has a card yet.")


@calls_app.command("card", epilog="Example: appliance calls card 1b4e28ba")
def card(
    call: Annotated[str, typer.Argument(metavar="CALL", help="As `calls list` shows it")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Show the card of a call."""
    with opened(config) as box:
        found = Papers(box.database, CARD).find(call)
    if found is None:
        raise ConfigError(f"calls card: call {call} has no card")
    typer.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else _text(found))


def _text(found: Mapping[str, Any]) -> str:
    score = ", ".join(
        f"{name.replace('_', ' ')} {'✓' if is_known else '-'}"
        for name, is_known in found["scorecard"].items()
    )
    return (
        f"{found['card_headline']}\n\n{found['card_summary']}\n\n"
        f"booking: {found['booking_status']}   callback: {found['callback']}"
        f"   outcome: {found['outcome']} (ended by {found['ended_by']})\n"
        f"known: {found['complete_percent']} % ({score})"
    )
