"""`appliance config`: looks at a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from appliance.config import Config, load_config
from appliance.session.liveview import assert_viewable
from appliance.session.prompts import read_flows
from appliance.session.readiness import check_languages
from appliance.stt.catalogue import assert_model
from appliance.tts.catalogue import assert_voices

config_app = typer.Typer(help="Look at a configuration.", no_args_is_help=True)


@config_app.callback()
def _group() -> None:
    """Typer makes a group of one command only where it is told to."""


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
