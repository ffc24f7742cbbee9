"""`appliance models`: the recognizer models of the box. Thin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from appliance.checksums import verify_checksums, write_checksums
from appliance.cli.box import print_table
from appliance.cli.models_eval import ModelsOption, config_of, eval_models, folder_of_models
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.config import HearingConfig
from appliance.errors import ConfigError, EngineError
from appliance.stt.catalogue import (
    Model,
    configured,
    find_folder,
    find_folders,
    is_model,
    lacking,
    languages_of_calls,
    read_model,
)
from appliance.stt.inspection import inspect, try_model
from appliance.stt.installing import add_model
from appliance.types import Language

models_app = typer.Typer(
    help="The models that hear what callers say (docs/hearing.md).", no_args_is_help=True
)

_NONE = "No models: appliance models add FOLDER"
_LANGUAGES_SHOWN = 4


@models_app.command("list", epilog="Example: appliance models list --config appliance.toml")
def list_models(models: ModelsOption = None, config: ConfigOption = CONFIG) -> None:
    """List the models: languages, size, checksums, and which one calls use."""
    hearing = config_of(config).hearing
    rows = []
    for folder in find_folders(folder_of_models(models, config), hearing):
        used = ", ".join(languages_of_calls(folder, hearing))
        try:
            model = read_model(folder)
        except ConfigError as error:
            rows.append([folder.name, "?", "?", "", "", "", str(error), used, str(folder)])
            continue
        rows.append([
            model.name,
            model.origin,
            _shortened(model.languages),
            f"{model.size / 1e6:.1f}",
            f"{model.rate_hz / 1000:g}",
            "phone head" if model.phone_head else "decoder",
            str(model.sums),
            used,
            str(folder),
        ])  # fmt: skip
    columns = ("model", "origin", "languages", "MB", "kHz", "heard by", "checksums", "used for",
               "folder")  # fmt: skip
    print_table(columns, rows, _NONE)
    _tell_missing(hearing)


@models_app.command(
    "add", epilog="Example: appliance models add /media/usb/whisper-base.en --name base-en"
)
def add(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="A faster-whisper or a Hugging Face Whisper folder on disk"
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the model; default: that of the folder")
    ] = None,
    models: ModelsOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Add a model from disk: copied, or converted and quantized to int8.

    It is tried before it appears, and sealed with checksums. The folder that it comes from stays as
    it is. Calls use it once the configuration names it.
    """
    place = folder_of_models(models, config)
    now = SystemClock().now()
    wanted = source.resolve().name if name is None else name
    model = add_model(source, place, wanted, now, lambda step: typer.echo(f"· {step}"))
    typer.echo(
        f"{model.folder}: {model.size / 1e6:.1f} MB, languages: {_shortened(model.languages)}. "
        f"To use it: {_advice(model)}"
    )


@models_app.command("check", epilog="Example: appliance models check base-en")
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL…]", help="Names or folders; default: all")
    ] = None,
    write_sums: Annotated[
        bool, typer.Option("--write-sums", help="Write the checksums anew, as the files are now")
    ] = False,
    models: ModelsOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Check models: checksums, missing files, whether they load and keep silent in noise.

    Exit code 1: there is a fault.
    """
    hearing, place = config_of(config).hearing, folder_of_models(models, config)
    if write_sums and not names:
        raise ConfigError("--write-sums: name the models whose files were changed on purpose")
    folders = [find_folder(name, place) for name in names or ()] or find_folders(place, hearing)
    if not folders:
        raise ConfigError(f"{place}: {_NONE}")
    faults = 0
    for folder in folders:
        if write_sums:
            _seal(folder)
        found = inspect(folder)
        faults += len(found.faults)
        typer.echo(f"{'✗' if found.faults else '✓'} {folder}")
        for said in found.faults:
            typer.echo(f"    ✗ {said}")
        for said in found.notes:
            typer.echo(f"    · {said}")
    typer.echo(f"models: {len(folders)}, faults: {faults}")
    if not names:
        _tell_missing(hearing)
    if faults:
        raise typer.Exit(1)


models_app.command(
    "eval", epilog="Example: appliance models eval /srv/calls --model base-en --json figures.json"
)(eval_models)


def _shortened(languages: tuple[str, ...]) -> str:
    more = len(languages) - _LANGUAGES_SHOWN
    shown = " ".join(languages[:_LANGUAGES_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown or "unknown"


def _advice(model: Model) -> str:
    """What to write into the configuration, and the window that such a model was trained on."""
    known = [each for each in model.languages if each in get_args(Language)]
    key = known[0] if len(known) == 1 else "en (or es)"
    window = (
        "" if model.phone_head else ', and window = "padded" in [hearing] if figures are better'
    )
    return f'{key} = "{model.folder.resolve()}" in [hearing.models]{window}'


def _tell_missing(hearing: HearingConfig) -> None:
    for language, folder in configured(hearing):
        if not is_model(folder):
            typer.echo(f"hearing.models.{language}: {folder}: there is no model", err=True)


def _seal(folder: Path) -> None:
    """Write the checksums anew and tell what has changed, if the model can be used as it is now.

    Raises:
        ConfigError: it cannot be used or not be written.
    """
    if absent := lacking(folder):
        raise ConfigError(f"{folder}: not sealed: no {' and no '.join(absent)}")
    try:
        try_model(folder)
        before = _sums(folder)
        write_checksums(folder)
    except EngineError as error:
        raise ConfigError(f"{folder}: not sealed: {error}") from error
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror or error}") from error
    typer.echo(f"{folder}: sealed; before: {before}")


def _sums(folder: Path) -> str:
    try:
        return str(verify_checksums(folder))
    except ConfigError as error:  # the sums themselves are damaged
        return str(error)
