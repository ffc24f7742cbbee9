"""`appliance outbox`: notifications, and whether they have arrived. Thin."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.actions.notices import body, subject
from appliance.cli.box import opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.errors import ConfigError
from appliance.logs import configure_logging
from appliance.session.courier import deliveries
from appliance.store.outbox import Outbox, Standing

outbox_app = typer.Typer(
    help="Notifications of bookings, callbacks and leads.", no_args_is_help=True
)


@outbox_app.command("list", epilog="Example: appliance outbox list --standing waiting")
def show(
    standing: Annotated[Standing | None, typer.Option(help="Only those that stand so")] = None,
    config: ConfigOption = CONFIG,
) -> None:
    """List notifications, the oldest first."""
    with opened(config) as box:
        parcels = Outbox(box.database).all(*([standing] if standing else []))
    rows = [
        [f"{each.notice.at.astimezone():%Y-%m-%d %H:%M}", subject(each.notice), each.channel or "-",
         each.standing.value, str(each.attempts), each.why, each.notice.key]
        for each in parcels
    ]  # fmt: skip
    columns = ("at", "what", "by", "standing", "attempts", "last failure", "key")
    print_table(columns, rows, "The outbox is empty.")


@outbox_app.command("show", epilog="Example: appliance outbox show booking:1b4e28ba:4:book_service")
def read(
    key: Annotated[str, typer.Argument(metavar="KEY", help="As `outbox list` shows it")],
    config: ConfigOption = CONFIG,
) -> None:
    """Read a notification, as the e-mail has it."""
    with opened(config) as box:
        found = [each.notice for each in Outbox(box.database).all() if each.notice.key == key]
    if not found:
        raise ConfigError(f"outbox show: no notification {key}")
    typer.echo(f"{subject(found[0])}\n\n{body(found[0])}", nl=False)


@outbox_app.command("deliver", epilog="Example: appliance outbox deliver --config appliance.toml")
def deliver(
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Also what was given up, put off, or kept for want of a channel"
        ),
    ] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Deliver what is due, once (exit code 1 if something did not arrive).

    `appliance serve` does this by itself; both may run at the same time.
    """
    configure_logging()
    clock = SystemClock()
    with opened(config) as box:
        outbox, channels = Outbox(box.database), box.config.notify.channels
        if not channels:
            kept = len(outbox.all(Standing.KEPT))
            typer.echo(f"No channel is configured under [notify]; {kept} notifications are kept.")
            return
        if again:
            outbox.revive(channels, clock.now())
        due = {(each.notice.key, each.channel)
               for each in outbox.all(Standing.WAITING) if each.due <= clock.now()}  # fmt: skip
        for each in deliveries(box.database, box.config.notify, clock):
            while each.deliver_next():
                pass
        arrived = {(each.notice.key, each.channel) for each in outbox.all(Standing.DELIVERED)}
    typer.echo(f"{len(due & arrived)} delivered, {len(due - arrived)} not")
    raise typer.Exit(1 if due - arrived else 0)
