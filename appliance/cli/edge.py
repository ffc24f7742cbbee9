"""`appliance edge`: the files of the SIP and media edge, and its certificate (docs/edge.md)."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from appliance.cli.places import CONFIG, ConfigOption
from appliance.config import load_config
from appliance.edge.certificate import DAYS, certificate_end, make_certificate, make_request
from appliance.edge.masking import PLACE as MASK_KEY
from appliance.edge.masking import mask_key
from appliance.edge.render import render_media, render_sip
from appliance.edge.status import SOCKET, read_status
from appliance.edge.writing import check_edge, write_files
from appliance.errors import ApplianceError, ConfigError

edge_app = typer.Typer(help="The SIP and media edge towards the PBX.", no_args_is_help=True)


@edge_app.command(epilog="Example: appliance edge render --out /run/appliance-edge")
def render(
    config: ConfigOption = CONFIG,
    out: Annotated[
        Path | None, typer.Option(help="Folder; default: the service's own ($RUNTIME_DIRECTORY)")
    ] = None,
    media: Annotated[
        bool, typer.Option("--media", help="The media edge's file (rtpengine), not the SIP edge's")
    ] = False,
) -> None:
    """Write the files that kamailio, or with --media rtpengine, is started with."""
    given = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    folder = out or (Path(given) if given else None)
    if folder is None:
        raise ConfigError("edge render: say where to with --out FOLDER")
    folder = folder.absolute()
    checked = load_config(config)
    rendered = render_media(checked) if media else render_sip(checked, folder)
    for name in write_files(folder, rendered):
        typer.echo(f"{folder / name}: written")


@edge_app.command(epilog="Example: appliance edge check --config /etc/appliance/appliance.toml")
def check(config: ConfigOption = CONFIG) -> None:
    """Let kamailio read what would be written, without writing it."""
    checked = load_config(config)
    check_edge(checked)
    edge = checked.edge
    typer.echo(
        f"good; {edge.transport} {edge.address}:{edge.port}, {len(checked.line.ports)} lines, "
        f"SRTP {edge.srtp}"
    )
    if not mask_key()[1]:
        typer.echo(
            f"warning: no {MASK_KEY} that this user can read: lines are masked by a key that every "
            "user of this machine can work out; appliance apply, as root, makes one",
            err=True,
        )


@edge_app.command(epilog="Example: appliance edge certificate --name box.example.net")
def certificate(
    config: ConfigOption = CONFIG,
    name: Annotated[
        list[str] | None, typer.Option(help="A host name that it is for, beside the address")
    ] = None,
    request: Annotated[
        Path | None, typer.Option(help="Instead, write a request for your own authority here")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it is valid")] = DAYS,
) -> None:
    """Make the key and certificate of [edge.tls], for the PBX to trust."""
    edge = load_config(config).edge
    if request is not None:
        make_request(edge, request.absolute(), name or ())
        typer.echo(f"{request}: have it signed, and put the answer at {edge.tls.certificate}")
        return
    make_certificate(edge, name or (), days)
    ends = certificate_end(edge.tls.certificate)
    typer.echo(f"{edge.tls.certificate}: valid until {ends:%Y-%m-%d}; give it to the PBX to trust")


@edge_app.command(epilog="Example: appliance edge status")
def status(
    socket: Annotated[Path, typer.Option(help="Of the running SIP edge")] = SOCKET,
    as_json: Annotated[bool, typer.Option("--json", help="For programs")] = False,
) -> None:
    """Which lines answer the running edge, and how many calls are up."""
    state = read_status(socket)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(state)))
        return
    for port, up in sorted(state.lines.items()):
        typer.echo(f"line at port {port}: {'answers' if up else 'does not answer'}")
    typer.echo(f"calls: {state.calls}")


def main() -> None:
    """`python -m appliance.cli.edge`, what the units start: these commands and no engine.

    The engines compile code when they are loaded, and the edge's sandbox forbids that.
    """
    try:
        edge_app()
    except ApplianceError as error:
        typer.echo(f"appliance: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
