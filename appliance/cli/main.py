"""The command `appliance`: what an operator types. Thin: every command calls one function."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import appliance.cli.single_thread  # noqa: F401 (before anything that loads numpy)
from appliance.cli import demo as demo_command
from appliance.cli import doctor as doctor_command
from appliance.cli import serve as serve_command
from appliance.cli import setup as setup_command
from appliance.cli.backup import backup_app, restore
from appliance.cli.calendar import calendar_app
from appliance.cli.calls import calls_app
from appliance.cli.campaigns import campaign_app
from appliance.cli.customers import customers_app
from appliance.cli.desk import desk_app
from appliance.cli.docs import docs_app
from appliance.cli.edge import edge_app
from appliance.cli.flow import chat, flow_app
from appliance.cli.health import health
from appliance.cli.intents import intents_app
from appliance.cli.models import models_app
from appliance.cli.outbox import outbox_app
from appliance.cli.policy import policy_app
from appliance.cli.prompts import prompts_app
from appliance.cli.requests import requests_app
from appliance.cli.retention import erase, retention_app, stops
from appliance.cli.sources import sources_app
from appliance.cli.store import store_app
from appliance.cli.version import activate_version, rollback, version
from appliance.cli.voices import voices_app
from appliance.config import Config, load_config
from appliance.errors import ApplianceError
from appliance.session.liveview import assert_viewable
from appliance.session.prompts import read_flows
from appliance.session.readiness import check_languages
from appliance.stt.catalogue import assert_model
from appliance.tts.catalogue import assert_voices

app = typer.Typer(
    help="A telephone extension that hears, decides and speaks on its own box.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_app = typer.Typer(help="Look at a configuration.", no_args_is_help=True)
app.add_typer(config_app, name="config")
app.add_typer(flow_app, name="flow")
app.add_typer(campaign_app, name="campaign")
app.add_typer(calendar_app, name="calendar")
app.add_typer(customers_app, name="customers")
app.add_typer(requests_app, name="requests")
app.add_typer(outbox_app, name="outbox")
app.add_typer(desk_app, name="desk")
app.add_typer(calls_app, name="calls")
app.add_typer(docs_app, name="docs")
app.add_typer(edge_app, name="edge")
app.add_typer(intents_app, name="intents")
app.add_typer(models_app, name="models")
app.add_typer(voices_app, name="voices")
app.add_typer(sources_app, name="sources")
app.add_typer(policy_app, name="policy")
app.add_typer(prompts_app, name="prompts")
app.add_typer(store_app, name="store")
app.add_typer(backup_app, name="backup")
app.add_typer(retention_app, name="retention")

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", help="The TOML file", show_default=True)
]


@app.command(epilog="Example: appliance serve --config /etc/appliance.toml")
def serve(config: ConfigOption = Path("appliance.toml")) -> None:
    """Answer calls until told to stop (Ctrl-C or SIGTERM)."""
    serve_command.serve(load_config(config))


@app.command(epilog="Example: appliance demo booking --out demo-output")
def demo(
    flow: Annotated[str, typer.Argument(help="A shipped flow")] = "collections",
    out: Annotated[Path, typer.Option(help="Folder for recording, record and picture")] = Path(
        "var/demo"
    ),
    script: Annotated[
        Path | None,
        typer.Option(help="What the caller does (YAML); default: the flow's own script"),
    ] = None,
    language: Annotated[str, typer.Option(help="Of the call, without a --script: en or es")] = "en",
) -> None:
    """Place one real call on loopback to the appliance and show it live."""
    raise typer.Exit(demo_command.demo(flow, out, script, language))


app.command("doctor", epilog="Example: appliance doctor --json")(doctor_command.doctor)
app.command("health", epilog="Example: appliance health --json")(health)
app.command("version", epilog="Example: appliance version --installed")(version)
app.command("rollback", epilog="Example: appliance rollback")(rollback)
app.command("activate", hidden=True)(activate_version)
app.command("setup", epilog="Example: appliance setup --answers answers.toml")(setup_command.setup)
app.command("apply", epilog="Example: appliance apply")(setup_command.apply)
app.command("chat", epilog="Example: appliance chat collections --number +15550101")(chat)


app.command("restore", epilog="Example: appliance restore backups/appliance-….tar.gz")(restore)
app.command("erase", epilog="Example: appliance erase +13105550100 --dry-run")(erase)
app.command("stops", epilog="Example: appliance stops --json")(stops)


@config_app.command("check", epilog="Example: appliance config check appliance.toml")
def check(path: Annotated[Path, typer.Argument(help="The TOML file")]) -> None:
    """Check a configuration: every bad key with its line; whether calls are heard and spoken."""
    checked: Config = load_config(path)
    assert_model(checked.hearing, checked.call.language)
    assert_voices(checked.speaking, checked.call.language)
    check_languages(read_flows(checked), checked.call.language)
    assert_viewable(checked.hearing.live_view)
    typer.echo(f"{path}: good; flow {checked.call.flow}, SIP on "
               f"{checked.line.address}:{checked.line.port}")  # fmt: skip


def main() -> None:
    """Run the command line; an operator's mistake is one line on stderr and exit code 2."""
    try:
        app()
    except ApplianceError as error:
        typer.echo(f"appliance: {error}", err=True)
        sys.exit(2)
