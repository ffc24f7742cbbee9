"""`appliance calls summary`: a call's summary, as its wrap-up kept it. Thin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from appliance.cli.box import opened
from appliance.cli.places import CONFIG, ConfigOption
from appliance.dialogue.summary import parse_summary
from appliance.errors import ConfigError
from appliance.store.papers import SUMMARY, Papers


def summary(
    call: Annotated[str, typer.Argument(metavar="CALL", help="The key of a call")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Show the summary of a call: transfers, handoff trail and takeaways."""
    with opened(config) as box:
        found = Papers(box.database, SUMMARY).find(call)
    if found is None:
        raise ConfigError(f"calls summary: call {call} has no summary")
    text = json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n".join(_lines(found))
    typer.echo(text)


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['flow']}: {found['outcome']} (ended by {found['ended_by']})"
    yield from parse_summary(found).lines()
    if found["unanswered"]:
        yield f"not answered: {found['unanswered']}"
