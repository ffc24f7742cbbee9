"""The command `appliance`: what an operator types.

A command's module is loaded when the command is given, and no other: the engines take seconds to
load, and most commands need none of them. Only `appliance --help` loads all.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import appliance.cli.single_thread  # noqa: F401 (before anything that loads numpy)
from appliance.errors import ApplianceError

_PLACES = {
    "serve": "serve:serve",
    "demo": "demo:demo_call",
    "doctor": "doctor:doctor",
    "health": "health:health",
    "version": "version:version",
    "rollback": "version:rollback",
    "activate": "version:activate_version",
    "setup": "setup:setup",
    "apply": "setup:apply",
    "chat": "flow:chat",
    "restore": "backup:restore",
    "erase": "retention:erase",
    "stops": "retention:stops",
    "config": "config:config_app",
    "flow": "flow:flow_app",
    "campaign": "campaigns:campaign_app",
    "calendar": "calendar:calendar_app",
    "customers": "customers:customers_app",
    "requests": "requests:requests_app",
    "outbox": "outbox:outbox_app",
    "desk": "desk:desk_app",
    "calls": "calls:calls_app",
    "docs": "docs:docs_app",
    "edge": "edge:edge_app",
    "intents": "intents:intents_app",
    "models": "models:models_app",
    "voices": "voices:voices_app",
    "sources": "sources:sources_app",
    "policy": "policy:policy_app",
    "prompts": "prompts:prompts_app",
    "store": "store:store_app",
    "backup": "backup:backup_app",
    "retention": "retention:retention_app",
}
"""Each command, in the order of the help: its module in this package, and its name in it."""

_HIDDEN = frozenset({"activate"})
_EXAMPLES = {
    "serve": "appliance serve --config /etc/appliance/appliance.toml",
    "demo": "appliance demo booking --out demo-output",
    "doctor": "appliance doctor --json",
    "health": "appliance health --json",
    "version": "appliance version --installed",
    "rollback": "appliance rollback",
    "setup": "appliance setup --answers answers.toml",
    "apply": "appliance apply",
    "chat": "appliance chat collections --number +15550101",
    "restore": "appliance restore backups/appliance-….tar.gz",
    "erase": "appliance erase +13105550100 --dry-run",
    "stops": "appliance stops --json",
}
"""Of the commands that are no groups."""


class Commands(TyperGroup):
    """Loads a command when it is asked for. `Any`: the types of the click that typer carries."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (click's signature)
        """All names."""
        return list(_PLACES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command of a name; None: there is none."""
        if cmd_name not in _PLACES:
            return None
        module, _, name = _PLACES[cmd_name].partition(":")
        found = getattr(import_module(f"appliance.cli.{module}"), name)
        one = _group(TyperGroup)
        if isinstance(found, typer.Typer):
            one.add_typer(found, name=cmd_name)
        else:
            example = _EXAMPLES.get(cmd_name)
            epilog = f"Example: {example}" if example else None
            one.command(cmd_name, epilog=epilog, hidden=cmd_name in _HIDDEN)(found)
        group = get_command(one)
        assert isinstance(group, TyperGroup)
        return group.commands[cmd_name]


def _group(kind: type[TyperGroup]) -> typer.Typer:
    app = typer.Typer(
        cls=kind,
        help="A telephone extension that hears, decides and speaks on its own box.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(lambda: None)  # Typer makes a group where there is one of these
    return app


app = _group(Commands)


def main() -> None:
    """Run the command line; an operator's mistake is one line on stderr and exit code 2."""
    try:
        app()
    except ApplianceError as error:
        typer.echo(f"appliance: {error}", err=True)
        sys.exit(2)
