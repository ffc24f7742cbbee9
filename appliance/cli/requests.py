"""`appliance requests`: callbacks and leads that wait for somebody. Thin."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.box import opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.errors import ConfigError
from appliance.store.requests import OpenRequest, Requests

requests_app = typer.Typer(help="Callbacks and leads that callers wait for.", no_args_is_help=True)


@requests_app.command("list", epilog="Example: appliance requests list --config appliance.toml")
def show(
    everything: Annotated[bool, typer.Option("--all", help="Closed ones too")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """List what is open, the oldest first."""
    with opened(config) as box:
        found = Requests(box.database).all(open_only=not everything)
    rows = [_row(each) for each in found]
    columns = ("at", "what", "number", "name", "reason", "status", "key")
    print_table(columns, rows, "Nothing is open.")


@requests_app.command(
    "close", epilog="Example: appliance requests close 1b4e28ba:7:create_callback_request"
)
def close(
    keys: Annotated[list[str], typer.Argument(metavar="KEY...", help="As `requests list` shows")],
    config: ConfigOption = CONFIG,
) -> None:
    """Mark requests as done."""
    with opened(config) as box:
        requests = Requests(box.database)
        for key in keys:
            if not requests.close(key, SystemClock().now()):
                raise ConfigError(f"requests close: no open request {key}")
            typer.echo(f"{key} is done")


def _row(each: OpenRequest) -> list[str]:
    details = each.details
    what = details.get("callback_type") or each.kind.value
    status = "open" if each.closed is None else f"done {each.closed:%Y-%m-%d}"
    if each.origin.value == "inferred":
        status += ", added after the call"
    about = " / ".join(filter(None, (details.get("reason"), details.get("problem"))))
    return [f"{each.at.astimezone():%Y-%m-%d %H:%M}", what, each.number, details.get("name", ""),
            about, status, each.key]  # fmt: skip
