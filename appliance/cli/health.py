"""`appliance health`: how the running agent says it is. Thin: it asks, and prints the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from appliance.cli.places import CONFIG, ConfigOption
from appliance.config import Config, load_config
from appliance.errors import PeerError
from appliance.health.client import ask, asked_figures

_MIB = 1 << 20


def health(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Say whether the running agent takes calls, and if not, why; then the exit code is 1."""
    told = _told(load_config(config))
    typer.echo(json.dumps(told, indent=2) if as_json else "\n".join(_lines(told)))
    raise typer.Exit(0 if told["ready"] and told["alive"] else 1)


def _told(config: Config) -> dict[str, Any]:
    try:
        alive, ready = ask(config.health, "/healthz"), ask(config.health, "/readyz")
        figures = asked_figures(config.health)
    except PeerError as error:
        why = {"reason": "no_agent", "detail": f"{error}; is the agent running?"}
        return {"ready": False, "alive": False, "reasons": [why]}
    return {**ready.body, **alive.body, "figures": figures}


def _lines(told: dict[str, Any]) -> Iterator[str]:
    yield "ready: calls are taken" if told["ready"] else "not ready: no calls are taken"
    for each in told["reasons"]:
        yield f"  {each['reason']}: {each['detail']}"
    figures = told.get("figures")
    if not figures:
        return
    if not told["alive"]:
        yield f"the event loop has stood still for {told['loop_age_s']:.0f} s"
    yield f"up for {told['uptime_s']:.0f} s"
    yield f"calls: {figures['open_calls']:.0f} of {figures['call_limit']:.0f}"
    yield f"lines: {figures['lines_up']:.0f} of {figures['lines']:.0f}"
    if figures["registrar"]:
        yield "registered at the PBX" if figures["registered"] else "not registered at the PBX"
    for name, free in figures.items():
        place = name.removeprefix("disk_free_bytes ")
        if place != name:
            yield f"disk of {place}: {free / _MIB:.0f} MiB free"
