"""`appliance campaign`: the campaigns that a box keeps. Thin: a function for each command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
import yaml

from appliance.cli.box import Box, opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.dialogue.campaign import Campaign, CampaignConfig, campaign_name, read_campaign
from appliance.errors import ConfigError
from appliance.flows.registry import load_flow, prove
from appliance.store.campaigns import CampaignStore, StoredCampaign

campaign_app = typer.Typer(
    help="Campaigns: what a flow says for one of them (docs/campaigns.md).", no_args_is_help=True
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Of a-z, 0-9, _ and -")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The campaign's YAML file")]


@campaign_app.command(
    "set", epilog="Example: appliance campaign set spring spring.yaml --config appliance.toml"
)
def set_campaign(name: NameArgument, file: FileArgument, config: ConfigOption = CONFIG) -> None:
    """Prove a campaign with the box's flow and store it, in place of what has its name.

    A box that runs with it takes the new one for new calls within seconds.
    """
    campaign = read_campaign(file, name)
    with opened(config) as box:
        proven = _proven(box, campaign)
        version = CampaignStore(box.database).put(campaign, SystemClock().now())
        typer.echo(f"{name}: stored as version {version}; {proven}")
        if box.config.call.campaign != name:
            typer.echo(f'To take calls with it: campaign = "{name}" under [call] in {config}')


@campaign_app.command("check", epilog="Example: appliance campaign check spring.yaml")
def check(
    campaign: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="A file, or a campaign that is stored")
    ],
    config: ConfigOption = CONFIG,
) -> None:
    """Prove a campaign with the box's flow, and store nothing."""
    path = Path(campaign)
    read = read_campaign(path) if path.is_file() else None
    with opened(config) as box:
        found = read or _stored(box, campaign).campaign()
        typer.echo(f"{found.name}: {_proven(box, found)}")


@campaign_app.command("show", epilog="Example: appliance campaign show spring > spring.yaml")
def show(name: NameArgument, config: ConfigOption = CONFIG) -> None:
    """Print a stored campaign as a file that `set` takes."""
    with opened(config) as box:
        stored = _stored(box, name)
    typer.echo(f"# {stored.name}, version {stored.version}")
    typer.echo(yaml.safe_dump(stored.config, sort_keys=False, allow_unicode=True), nl=False)


@campaign_app.command("list", epilog="Example: appliance campaign list --config appliance.toml")
def list_campaigns(config: ConfigOption = CONFIG) -> None:
    """List the stored campaigns; the one that calls are taken with is marked."""
    with opened(config) as box:
        rows = [
            [each.name, str(each.version), str(each.config.get("language", "en")),
             str(each.config.get("response_style", "conversational")),
             f"{each.changed:%Y-%m-%d %H:%M}",
             "in use" if each.name == box.config.call.campaign else ""]
            for each in CampaignStore(box.database).all()
        ]  # fmt: skip
    columns = ("name", "version", "language", "style", "changed", "")
    print_table(columns, rows, "No campaigns: appliance campaign set NAME FILE")


@campaign_app.command("remove", epilog="Example: appliance campaign remove spring")
def remove(name: NameArgument, config: ConfigOption = CONFIG) -> None:
    """Remove a stored campaign, unless calls are taken with it."""
    with opened(config) as box:
        if box.config.call.campaign == name:
            raise ConfigError(f"{name}: is in use: take it out of [call] in {config} first")
        _stored(box, name)
        CampaignStore(box.database).remove(name)
    typer.echo(f"{name}: removed")


@campaign_app.command("schema", epilog="Example: appliance campaign schema > campaign.schema.json")
def schema() -> None:
    """Print the JSON Schema of a campaign's file, for editors."""
    found = CampaignConfig.model_json_schema()
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
    typer.echo(json.dumps(found, ensure_ascii=False, indent=2))


def _stored(box: Box, name: str) -> StoredCampaign:
    store = CampaignStore(box.database)
    found = store.find(campaign_name(name))
    if found is None:
        known = ", ".join(each.name for each in store.all()) or "none"
        raise ConfigError(f"{name}: neither a file nor a stored campaign; there are: {known}")
    return found


def _proven(box: Box, campaign: Campaign) -> str:
    """What a campaign comes to with the flow of the box; ConfigError if it is refused."""
    call = box.config.call
    if campaign.config.language != call.language:
        place = campaign.place("language")
        raise ConfigError(f"{place}: the campaign must be in the language of the calls of this box,"
                          f" which is {call.language} ([call] language)")  # fmt: skip
    flow = load_flow(call.flow, campaign)
    states = prove(flow, campaign).states  # as it was found just now
    return f"flow {flow.name} {flow.hash} is proven with it, {states} states"
