"""`appliance models eval`: models judged by an operator's recordings, to choose by numbers.

table + sound files -> channel -> each model -> figures -> tables, JSON
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import typer

from appliance.checksums import digest
from appliance.cli.box import print_table
from appliance.cli.output import assert_writable, progress, write_json, write_text
from appliance.cli.places import CONFIG, ConfigOption
from appliance.config import Config, HearingConfig, load_config, parse_config
from appliance.errors import ConfigError
from appliance.stt.catalogue import MODEL, MODELS, assert_model, find_folder
from appliance.stt.evaluation import Judged, Told, by_group, confusions, figures, judge
from appliance.stt.intervals import Rate
from appliance.stt.recordings import (
    ALL,
    Channel,
    Recording,
    Skipped,
    find_table,
    read_recordings,
    read_table,
)
from appliance.stt.whisper import WhisperRecognizer
from appliance.types import Language

ModelsOption = Annotated[
    Path | None,
    typer.Option("--models", help="Folder of models; default: models/stt beside the configuration"),
]
Window = Literal["short", "padded"]

_CONFUSIONS = 10
_COLUMNS = ("model", "group", "recordings", "WER %", "exact %", "digits %", "wrong", "lost",
            "added", "CPU ms p50", "p95", "CPU share")  # fmt: skip
_TRANSCRIPT = ("model", "file", "errors", "said", "heard")


@dataclass(frozen=True, slots=True)
class Trial:
    """What models are judged by."""

    recordings: Sequence[Recording]
    channel: Channel
    hearing: HearingConfig
    language: Language


def eval_models(
    folder: Annotated[Path, typer.Argument(help="Folder of sound files with a table (.tsv)")],
    table: Annotated[
        Path | None, typer.Option(help="Table of file<TAB>text; default: the folder's only .tsv")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Name or folder; may be given again; default: the configured one"),
    ] = None,
    channel: Annotated[
        str,
        typer.Option(
            help="telephone: a simulated line with noise at 20 dB; clean: no line; recorded: as it "
            "is, say from real calls"
        ),
    ] = "telephone",
    window: Annotated[
        str | None, typer.Option(help="short or padded; default: as configured")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="en or es; default: that of the calls")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here")] = None,
    transcripts: Annotated[
        Path | None, typer.Option(help="Write what was said and heard here (.tsv)")
    ] = None,
    models: ModelsOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Judge models by recordings of which you know what is said, heard as in calls.

    Shown are word error rate, sentences without an error, digit strings, and processor time, the
    rates with 95% confidence intervals. Exit code 1: a recording could not be used; it is named and
    left out.
    """
    box = config_of(config)
    chosen = _one_of("--window", window or box.hearing.window, get_args(Window))
    said = table or find_table(folder)
    recordings = read_table(said, folder)
    for path in (json_file, transcripts):
        assert_writable(path, [said, *(each.file for each in recordings)])
    trial = Trial(
        recordings=recordings[:limit],
        channel=cast("Channel", _one_of("--channel", channel, get_args(Channel))),
        hearing=box.hearing.model_copy(update={"window": chosen}),
        language=cast(
            "Language", _one_of("--language", language or box.call.language, get_args(Language))
        ),
    )
    folders = [find_folder(each, folder_of_models(models, config)) for each in model or ()]
    judged, skipped = _judge_all(folders or [_usual(trial)], trial)
    print_table(_COLUMNS, [row for each, found in judged.items() for row in _rows(each, found)], "")
    for each, found in judged.items():
        _print_confusions(each, found)
    for bad in skipped:
        typer.echo(f"✗ {bad.file}: {bad.why}", err=True)
    if json_file:
        write_json(json_file, _as_json(folder, trial, judged, skipped))
    if transcripts:
        write_text(transcripts, _transcripts(judged))
    if skipped:
        typer.echo(f"{len(skipped)} of {len(trial.recordings)} recordings left out", err=True)
        raise typer.Exit(1)


def config_of(path: Path) -> Config:
    """The configuration, or its defaults where the default file is not there."""
    if path == CONFIG and not path.is_file():
        return parse_config({}, path)
    return load_config(path)


def folder_of_models(given: Path | None, config: Path) -> Path:
    """The folder of models: as given, else beside the configuration."""
    return given or config.resolve().parent / MODELS


def _one_of(option: str, given: str, known: Sequence[str]) -> str:
    if given not in known:
        raise ConfigError(f"{option}: {given}: there are {', '.join(known)}")
    return given


def _usual(trial: Trial) -> Path:
    """The model that calls are heard with."""
    assert_model(trial.hearing, trial.language)
    return trial.hearing.models.folder(trial.language)


def _judge_all(
    folders: Sequence[Path], trial: Trial
) -> tuple[dict[Path, list[Judged]], list[Skipped]]:
    """What each model heard, and what could not be given to any of them.

    Raises:
        ConfigError: a model cannot be loaded, or no recording can be used.
    """
    judged: dict[Path, list[Judged]] = {}
    skipped: list[Skipped] = []
    for folder in folders:
        recognizer = WhisperRecognizer(folder, trial.hearing, trial.language)
        skipped = []
        utterances = read_recordings(trial.recordings, trial.channel, skipped)
        with _bar(folder.name, len(trial.recordings)) as tell:
            judged[folder] = judge(recognizer, utterances, trial.language, tell)
        if not judged[folder]:
            why = f"{skipped[0].file}: {skipped[0].why}"
            raise ConfigError(f"none of {len(skipped)} recordings can be used: {why}")
    return judged, skipped


@contextmanager
def _bar(name: str, total: int) -> Iterator[Told]:
    with progress(ticking=False) as tell:
        done = 0

        def told(_: Judged) -> None:
            nonlocal done
            done += 1
            tell(name, done, total)

        yield told


def _groups(found: list[Judged]) -> dict[str, list[Judged]]:
    groups = by_group(found)
    return {ALL: found} | (groups if len(groups) > 1 else {})


def _rows(folder: Path, found: list[Judged]) -> Iterator[list[str]]:
    for group, each in _groups(found).items():
        numbers = figures(each)
        failed = f" ({numbers.failed} failed)" if numbers.failed else ""
        yield [
            folder.name,
            group,
            f"{numbers.utterances}{failed}",
            *map(_shown, (numbers.wer, numbers.exact, numbers.digits)),
            str(numbers.substituted),
            str(numbers.lost),
            str(numbers.added),
            f"{numbers.cpu_ms[0]:.1f}",
            f"{numbers.cpu_ms[1]:.1f}",
            f"{numbers.cpu_share:.4f}",
        ]


def _shown(rate: Rate | None) -> str:
    return str(rate) if rate else "–"


def _print_confusions(folder: Path, found: list[Judged]) -> None:
    most = confusions(found).most_common(_CONFUSIONS)
    if most:
        typer.echo(f"{folder.name}: wrong most often (said, heard, how often):")
    for (said, heard), count in most:
        typer.echo(f"  {said or '(nothing)'} -> {heard or '(nothing)'}: {count}")


def _as_json(
    folder: Path, trial: Trial, judged: dict[Path, list[Judged]], skipped: list[Skipped]
) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "channel": trial.channel,
        "window": trial.hearing.window,
        "language": trial.language,
        "recordings": len(trial.recordings),
        "skipped": [{"file": str(each.file), "why": each.why} for each in skipped],
        "models": [
            {
                "model": each.name,
                "folder": str(each),
                "sha256": digest(each / MODEL),
                "groups": {
                    group: figures(part).as_json() for group, part in _groups(found).items()
                },
                "confusions": [
                    {"said": said, "heard": heard, "count": count}
                    for (said, heard), count in confusions(found).most_common(_CONFUSIONS)
                ],
            }
            for each, found in judged.items()
        ],
    }


def _transcripts(judged: dict[Path, list[Judged]]) -> str:
    """A table again: model, file, errors, said and heard."""
    rows = [
        (folder.name, each.name, str(each.comparison.errors), " ".join(each.comparison.said),
         " ".join(each.comparison.heard))
        for folder, found in judged.items()
        for each in found
    ]  # fmt: skip
    return "".join("\t".join(row) + "\n" for row in [_TRANSCRIPT, *rows])
