"""`appliance voices try`: hear a voice before a caller does, and see what it costs on this box.

text -> voice ─┬─> NAME.wav            as the voice speaks
               └─> NAME.telephone.wav  as the line gets it
"""

from __future__ import annotations

import wave
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from appliance.audio.level import to_pcm
from appliance.cli.models_eval import config_of
from appliance.cli.output import assert_folder, write_json
from appliance.cli.places import CONFIG, ConfigOption
from appliance.config import Config, SpeakingConfig
from appliance.dialogue.markup import parse, plain
from appliance.errors import ConfigError
from appliance.tts.casting import Cast, cast_voice
from appliance.tts.catalogue import DEFAULT, VOICES, find_file
from appliance.tts.figures import Figures, keep_figures, measure
from appliance.tts.inspection import SAMPLES, language_of
from appliance.tts.piper import PiperSpeaker
from appliance.tts.settings import check_cast
from appliance.types import LINE_RATE_HZ, Language

VoicesOption = Annotated[
    Path | None,
    typer.Option("--voices", help="Folder of voices; default: models/voice beside the config."),
]
_LONG_ENOUGH_S = 2.0  # what a shorter text costs says little about others


def folder_of_voices(voices: Path | None, config: Path) -> Path:
    """Where voices are: given, or beside the configuration."""
    return voices or config.resolve().parent / VOICES


def try_out(
    voice: Annotated[
        str,
        typer.Argument(
            metavar="VOICE", help="default, a name of [speaking.voices], of a voice, or a file"
        ),
    ],
    text: Annotated[
        str | None, typer.Argument(help="What to say, with marks as in prompts; default: a sample")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the sound files")] = Path(),
    language: Annotated[
        str | None, typer.Option(help="en or es; default: the voice's, or that of the calls")
    ] = None,
    speaker: Annotated[
        str | None, typer.Option(help="Name or number, where a voice holds several")
    ] = None,
    pitch: Annotated[float | None, typer.Option(min=0.7, max=1.4, help="1: its own")] = None,
    speed: Annotated[float | None, typer.Option(min=0.5, max=1.5, help="1: its own")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file")
    ] = None,
    voices: VoicesOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Speak a text to a sound file, and measure what it costs.

    Writes VOICE.wav as the voice speaks, and VOICE.telephone.wav as the line gets it.
    """
    box = config_of(config)
    plain = _cast(voice, box, folder_of_voices(voices, config), _language(language))
    chosen = replace(
        plain,
        speaker=speaker or plain.speaker,
        pitch=pitch or plain.pitch,
        speed=speed or plain.speed,
    )
    settings = check_cast(chosen)
    said = _checked(SAMPLES[chosen.language] if text is None else text)
    stem = Path(voice).stem
    files = (out / f"{stem}.wav", out / f"{stem}.telephone.wav")
    assert_folder(files[0])
    assert_folder(json_file)
    loaded = PiperSpeaker(box.speaking, chosen)
    figures, pcm = measure(loaded, said, box.speaking.threads)
    wide, rate_hz = loaded.wide(said)
    _write_wav(files[0], to_pcm(wide), rate_hz)
    _write_wav(files[1], pcm, LINE_RATE_HZ)
    if figures.audio_s >= _LONG_ENOUGH_S:
        keep_figures(box.speaking.measured, chosen.file, figures)
    _tell(chosen, settings.locale, figures, files)
    if lacking := loaded.lacking(said):
        typer.echo(f"left out     {' '.join(lacking)} (the voice has no such sounds)")
    if json_file:
        told = {"voice": str(chosen.file), "language": settings.locale, **asdict(figures)}
        write_json(json_file, {**told, "left_out": lacking})


def _cast(name: str, box: Config, place: Path, language: Language | None) -> Cast:
    """Who is meant: one who speaks in calls, as configured; else a voice as it is."""
    speaking: SpeakingConfig = box.speaking
    if name == DEFAULT or name in speaking.voices:
        return cast_voice(speaking, language or box.call.language, name)
    file = find_file(name, place, speaking)
    return Cast(file.stem, file, language or language_of(file))


def _checked(text: str) -> str:
    """A text that can be spoken, with its marks."""
    try:
        words = plain(text) if parse(text) else ""
    except ValueError as error:
        raise ConfigError(f"the text cannot be spoken: {error}") from error
    if not any(sign.isalnum() for sign in words):
        raise ConfigError("there is nothing to say: give a text with a word in it")
    return text


def _language(given: str | None) -> Language | None:
    known = get_args(Language)
    if given is not None and given not in known:
        raise ConfigError(f"--language: {given}: there are {', '.join(known)}")
    return cast("Language | None", given)


def _tell(chosen: Cast, locale: str, figures: Figures, files: tuple[Path, Path]) -> None:
    said = [f"{chosen.file}, {locale}"]
    said += [f"speaker {chosen.speaker}"] if chosen.speaker is not None else []
    said += [f"{name} {value:g}" for name, value in (("pitch", chosen.pitch),
             ("speed", chosen.speed)) if value != 1]  # fmt: skip
    threads = f"{figures.threads} thread{'s' if figures.threads > 1 else ''}"
    typer.echo(f"voice        {', '.join(said)}")
    typer.echo(f"wide         {files[0]}")
    typer.echo(f"telephone    {files[1]} (8 kHz, as the line gets it)")
    typer.echo(f"sound        {figures.audio_s:.1f} s at {figures.level_dbm0:.1f} dBm0")
    typer.echo(
        f"real-time    factor {figures.real_time_factor:.3f}, of the processor "
        f"{figures.processor_factor:.3f}, on {threads} (median of 3)"
    )
    typer.echo(f"first audio  after {figures.first_audio_ms:.0f} ms (the first sentence)")


def _write_wav(path: Path, pcm: bytes, rate_hz: int) -> None:
    try:
        with path.open("wb") as raw, wave.open(raw, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate_hz)
            file.writeframes(pcm)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
