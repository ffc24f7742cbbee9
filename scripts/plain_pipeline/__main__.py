"""`python -m plain_pipeline --config FILE --variant NAME`, in Pipecat's own environment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from appliance.config import load_config
from appliance.errors import ApplianceError
from plain_pipeline.serve import serve
from plain_pipeline.variants import VARIANTS


def main(
    config: Annotated[Path, typer.Option(help="The appliance's configuration file")],
    variant: Annotated[str, typer.Option(help=f"One of {', '.join(VARIANTS)}")] = "plain",
) -> None:
    """Take calls with a plain Pipecat pipeline."""
    if variant not in VARIANTS:
        raise typer.BadParameter(f"no variant {variant}; there are {', '.join(VARIANTS)}")
    serve(load_config(config), VARIANTS[variant])


if __name__ == "__main__":
    try:
        typer.run(main)
    except ApplianceError as error:
        sys.exit(f"plain_pipeline: {error}")
