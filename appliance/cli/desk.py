"""`appliance desk`: the conversations of the box's own helpdesk. Thin."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from appliance.cli.box import opened, print_table, printable
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.conversations import STATUS
from appliance.errors import ConfigError
from appliance.store.conversation_lists import Wanted
from appliance.store.conversation_rows import Author, Entry, Heading
from appliance.store.conversations import Conversations

desk_app = typer.Typer(help="Conversations of the box's own helpdesk.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="ID", help="As `desk list` shows")]
Text = Annotated[str, typer.Argument(help="In quotes")]


@desk_app.command("list", epilog="Example: appliance desk list --status ROUTE_TO_TEAM")
def show_all(
    everything: Annotated[bool, typer.Option("--all", help="Closed ones too")] = False,
    snoozed: Annotated[bool, typer.Option("--snoozed", help="Only those hidden now")] = False,
    status: Annotated[str | None, typer.Option(help="Only those with this agent's status")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many")] = 100,
    config: ConfigOption = CONFIG,
) -> None:
    """List conversations, the oldest first."""
    wanted = Wanted(
        is_open=None if everything else True, is_snoozed=snoozed or None, status=status,
        limit=limit,
    )  # fmt: skip
    with _desk(config) as desk:
        rows = [_row(each) for each in desk.all(wanted)]
    columns = ("id", "updated", "who", "subject", "status", "snoozed until")
    print_table(columns, rows, "No conversations.")


@desk_app.command("show", epilog="Example: appliance desk show 12")
def show(conversation: Id, config: ConfigOption = CONFIG) -> None:
    """Print a conversation with its notes and attributes."""
    with _desk(config) as desk:
        thread = desk.thread(conversation)
    contact = thread.conversation.contact
    state = "closed" if thread.is_closed else "open"
    typer.echo(printable(f"{conversation}  {thread.subject}  {state}"))
    typer.echo(printable("  ".join(filter(None, (contact.name, contact.email, contact.phone)))))
    for name, value in thread.conversation.attributes.items():
        typer.echo(printable(f"{name} = {value}"))
    if thread.conversation.snoozed_until is not None:
        typer.echo(f"snoozed until {thread.conversation.snoozed_until:%Y-%m-%d %H:%M:%S}")
    for entry in thread.entries:
        typer.echo(_lines(entry))


@desk_app.command("write", epilog="Example: appliance desk write 12 'It was paid today.'")
def write(conversation: Id, text: Text, config: ConfigOption = CONFIG) -> None:
    """Answer the user, as a person of the desk."""
    with _desk(config) as desk:
        desk.write(conversation, Author.ADMIN, _key(), _said(text))
    typer.echo(f"written to {conversation}")


@desk_app.command("note", epilog="Example: appliance desk note 12 'Called him back.'")
def note(conversation: Id, text: Text, config: ConfigOption = CONFIG) -> None:
    """Write a note, which the user does not see."""
    with _desk(config) as desk:
        desk.note(conversation, _key(), _said(text), author=Author.ADMIN)
    typer.echo(f"noted in {conversation}")


@desk_app.command("snooze", epilog="Example: appliance desk snooze 12 --minutes 60")
def snooze(
    conversation: Id,
    minutes: Annotated[int, typer.Option(min=0, max=525_600, help="0: show it now")] = 60,
    config: ConfigOption = CONFIG,
) -> None:
    """Hide a conversation for a while, or until the user writes."""
    until = SystemClock().now() + timedelta(minutes=minutes) if minutes else None
    with _desk(config) as desk:
        desk.snooze(conversation, until)
    shown = f"snoozed until {until:%Y-%m-%d %H:%M}" if until else "not snoozed"
    typer.echo(f"{conversation} is {shown}")


@desk_app.command("hand-back", epilog="Example: appliance desk hand-back 12")
def hand_back(conversation: Id, config: ConfigOption = CONFIG) -> None:
    """Let the agent answer again in a conversation that it handed over."""
    with _desk(config) as desk:
        if not desk.hand_back(conversation):
            raise ConfigError(f"desk hand-back: {conversation} was not handed over: nothing to do")
    typer.echo(f"{conversation} is the agent's again")


@contextmanager
def _desk(config: Path) -> Iterator[Conversations]:
    with opened(config) as box:
        if box.config.desk.kind != "own":
            raise ConfigError(
                "desk: the helpdesk of this box is Request Tracker: use its own pages, or set"
                " desk.kind to own"
            )
        yield Conversations(box.database, SystemClock(), box.config.notify.channels)


def _key() -> str:
    """Every command is a new message."""
    return f"cli:{uuid.uuid4()}"


def _said(text: str) -> str:
    if not text.strip():
        raise ConfigError("desk: the text is empty")
    return text.strip()


def _row(each: Heading) -> list[str]:
    inside = each.conversation
    who = inside.contact.name or inside.contact.email or inside.contact.phone
    until = inside.snoozed_until
    is_snoozed = until is not None and until > SystemClock().now()
    state = inside.attributes.get(STATUS, "") + (" (closed)" if each.is_closed else "")
    return [inside.id, f"{each.updated:%Y-%m-%d %H:%M}", who, each.subject, state.strip(),
            f"{until:%H:%M:%S}" if until and is_snoozed else ""]  # fmt: skip


def _lines(entry: Entry) -> str:
    kind = "note by " if entry.is_note else ""
    by_phone = ", by telephone" if entry.by_phone else ""
    text = "\n    ".join(printable(line) for line in entry.text.splitlines())
    return f"{entry.at:%Y-%m-%d %H:%M}  {kind}{entry.author.value}{by_phone}\n    {text}"
