"""`appliance customers`: who is known by number. Thin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from appliance.cli.box import opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.store.customers import Customers
from appliance.store.customers_file import read_customers

customers_app = typer.Typer(help="Customers that are known by number.", no_args_is_help=True)


@customers_app.command("list", epilog="Example: appliance customers list --config appliance.toml")
def show(config: ConfigOption = CONFIG) -> None:
    """List them by name."""
    with opened(config) as box:
        rows = [[c.number, c.name, c.address, c.zip] for c in Customers(box.database).all()]
    print_table(("number", "name", "address", "zip"), rows, "No customers.")


@customers_app.command("import", epilog="Example: appliance customers import customers.csv")
def read(
    file: Annotated[
        Path, typer.Argument(help="A .csv with number,name,address,zip, or a .yaml by number")
    ],
    config: ConfigOption = CONFIG,
) -> None:
    """Read customers from a file: all of it or nothing. What is empty there changes nothing.

    Numbers must have the digits that your telephone system shows, with the country code if it does.
    """
    customers = read_customers(file)
    with opened(config) as box:
        count = Customers(box.database).put(customers)
    typer.echo(f"{count} customers read from {file}")
