"""`appliance voices`: the voices of the box. Thin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from appliance.checksums import verify_checksums, write_checksums
from appliance.cli.box import print_table
from appliance.cli.models_eval import config_of
from appliance.cli.places import CONFIG, ConfigOption
from appliance.cli.voices_try import VoicesOption, folder_of_voices, try_out
from appliance.clock import SystemClock
from appliance.config import SpeakingConfig
from appliance.errors import ConfigError, EngineError
from appliance.tts.catalogue import casts_of, find_file, find_files, personas_of, read_voice
from appliance.tts.figures import find_figures
from appliance.tts.inspection import inspect, try_voice
from appliance.tts.installing import add_voice, find_source

voices_app = typer.Typer(
    help="The voices that callers hear (docs/speaking.md).", no_args_is_help=True
)

_NONE = "No voices: appliance voices add FILE"


@voices_app.command("list", epilog="Example: appliance voices list --config appliance.toml")
def list_voices(voices: VoicesOption = None, config: ConfigOption = CONFIG) -> None:
    """List the voices: language, rate, size, what they cost here, and who speaks with them."""
    speaking = config_of(config).speaking
    rows = []
    for file in find_files(folder_of_voices(voices, config), speaking):
        spoken_by = ", ".join(personas_of(file, speaking))
        try:
            voice = read_voice(file)
        except ConfigError as error:
            rows.append([file.stem, *["?"] * 7, str(error), spoken_by, str(file)])
            continue
        figures = find_figures(speaking.measured, file)
        rows.append([
            voice.name,
            voice.origin,
            voice.settings.locale,
            f"{voice.settings.audio.sample_rate / 1000:g}",
            str(voice.settings.num_speakers),
            f"{voice.size / 1e6:.1f}",
            f"{figures.real_time_factor:.3f}" if figures else "-",
            f"{figures.first_audio_ms:.0f}" if figures else "-",
            str(voice.sums),
            spoken_by,
            str(file),
        ])  # fmt: skip
    columns = ("voice", "origin", "language", "kHz", "speakers", "MB", "real-time factor",
               "first audio ms", "checksums", "spoken by", "file")  # fmt: skip
    print_table(columns, rows, _NONE)
    _tell_missing(speaking)


@voices_app.command(
    "add", epilog="Example: appliance voices add /media/usb/en_US-amy-medium.onnx --name amy"
)
def add(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A Piper voice (NAME.onnx beside NAME.onnx.json), or its folder"
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the voice; default: that of the file")
    ] = None,
    voices: VoicesOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Add a Piper voice from disk, with the model card and the licence that lie beside it.

    It speaks some sentences before it appears, and is sealed with checksums. The files that it
    comes from stay as they are. Calls use it once the configuration names it.
    """
    place, speaking = folder_of_voices(voices, config), config_of(config).speaking
    file = find_source(source)
    wanted = file.stem if name is None else name
    now = SystemClock().now()
    voice = add_voice(file, place, wanted, speaking, now, lambda step: typer.echo(f"· {step}"))
    key = voice.settings.spoken
    typer.echo(
        f"{voice.file}: {voice.size / 1e6:.1f} MB, {voice.settings.locale}. Hear it: appliance "
        f'voices try {voice.name}. To use it: {key} = "{voice.file.resolve()}" in '
        "[speaking.models] or in [speaking.voices.NAME]"
    )


@voices_app.command("check", epilog="Example: appliance voices check amy")
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[VOICE…]", help="Names or files; default: all")
    ] = None,
    write_sums: Annotated[
        bool, typer.Option("--write-sums", help="Write the checksums anew, as the files are now")
    ] = False,
    voices: VoicesOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Check voices: checksums, missing files, whether they load and speak at a human pace.

    Exit code 1: there is a fault.
    """
    speaking, place = config_of(config).speaking, folder_of_voices(voices, config)
    if write_sums and not names:
        raise ConfigError("--write-sums: name the voices whose files were changed on purpose")
    files = [find_file(name, place, speaking) for name in names or ()]
    files = files or find_files(place, speaking)
    if not files:
        raise ConfigError(f"{place}: {_NONE}")
    faults = 0
    for file in files:
        if write_sums:
            _seal(file, speaking)
        found = inspect(file, speaking)
        faults += len(found.faults)
        typer.echo(f"{'✗' if found.faults else '✓'} {file}")
        for said in found.faults:
            typer.echo(f"    ✗ {said}")
        for said in found.notes:
            typer.echo(f"    · {said}")
    typer.echo(f"voices: {len(files)}, faults: {faults}")
    if not names:
        _tell_missing(speaking)
    if faults:
        raise typer.Exit(1)


voices_app.command(
    "try", epilog='Example: appliance voices try bob "Your balance is 240 dollars." --out /tmp'
)(try_out)


def _tell_missing(speaking: SpeakingConfig) -> None:
    missing = {cast.key: cast.file for _, cast in casts_of(speaking) if not cast.file.is_file()}
    for key, file in missing.items():
        typer.echo(f"{key}: {file}: there is no voice", err=True)


def _seal(file: Path, speaking: SpeakingConfig) -> None:
    """Write the checksums of a voice's folder anew, if the voice can be used as it is now.

    Raises:
        ConfigError: it cannot be used or not be written.
    """
    try:
        try_voice(file, speaking)
        before = _sums(file.parent)
        write_checksums(file.parent)
    except EngineError as error:
        raise ConfigError(f"{file}: not sealed: {error}") from error
    except OSError as error:
        raise ConfigError(f"{file.parent}: cannot be written: {error.strerror or error}") from error
    typer.echo(f"{file.parent}: sealed; before: {before}")


def _sums(folder: Path) -> str:
    try:
        return str(verify_checksums(folder))
    except ConfigError as error:  # the sums themselves are damaged
        return str(error)
