"""`appliance intents`: the model that reads what callers mean. Thin."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from appliance.cli.box import print_table
from appliance.cli.output import assert_folder, progress, write_json
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.config import UnderstandingConfig, load_config
from appliance.dialogue.schema import Slot
from appliance.errors import ConfigError
from appliance.nlu.hybrid import RulesAndModel
from appliance.nlu.loading import open_model
from appliance.nlu.model import Classifier
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.training.benchmark import run, size_mb, speed
from appliance.training.evaluation import Evaluation
from appliance.training.examples import Example, read_examples
from appliance.training.judging import by_model, by_understander, in_parts
from appliance.training.judging import heldout as read_heldout
from appliance.training.lint import leaks, lint_examples
from appliance.training.noise import Noise
from appliance.training.public import read_public
from appliance.training.renewal import renew
from appliance.training.report import details, guarded, thresholds
from appliance.training.report import figures as summary
from appliance.training.settings import OWN, Settings
from appliance.training.trainer import Parts, Training
from appliance.types import Language

intents_app = typer.Typer(
    help="The model that reads what callers mean (docs/understanding.md).", no_args_is_help=True
)

ModelOption = Annotated[
    Path | None,
    typer.Option("--model", help="Folder of the model; default: the one that is configured"),
]
BaseOption = Annotated[
    Path | None, typer.Option(help="Folder of the encoder to begin with; default: the shipped one")
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Fit the classifier alone: two minutes, no torch")
]
EpochsOption = Annotated[int, typer.Option(min=1, max=50, help="Passes over the examples")]
ThreadsOption = Annotated[int, typer.Option(min=1, max=64, help="Processor threads")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the figures here")]
HeldoutOption = Annotated[
    list[Path] | None,
    typer.Option("--heldout", help="Examples to judge by, besides the shipped ones"),
]

_DATA = Path("data")
"""The shipped examples, in the folder of the model."""
_PUBLIC_BASE = Path("models/encoder")
SLOTS = get_args(Slot)
_NOTABLY = 0.01
"""An accuracy that is lower by more is worth a word."""
EPOCHS = Settings().epochs


@intents_app.command(
    "train",
    epilog="Example: appliance intents train /srv/kennel/train --heldout /srv/kennel/heldout",
)
def train_model(
    examples: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[EXAMPLES…]", help="Folders of more examples (LANGUAGE_*.yaml), say of a flow"
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Where to install it; default: the configured model")
    ] = None,
    base: BaseOption = None,
    heldout: HeldoutOption = None,
    quick: QuickOption = False,
    epochs: EpochsOption = EPOCHS,
    threads: ThreadsOption = 1,
    figures: JsonOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Train the model anew on the shipped examples and yours, judge it, and install it.

    It is judged by the held-out examples, with the rules before it, as calls are understood. A
    model that is worse than the installed one on what must never be missed is not installed: exit
    code 1. The old model is kept beside the new one.
    """
    assert_folder(figures)
    installed = _configured(config).model
    data, target = installed / _DATA, output or installed
    every = _trained_on(data, examples or ())
    judges = read_heldout((data / "heldout", *(heldout or ())))
    _refuse_flaws(every, judges)
    settings = None if quick else replace(OWN, epochs=epochs, threads=threads)
    about = {"trained": f"{SystemClock().now():%Y-%m-%d}"}
    training = Training(Parts.of(every), base or installed, settings, Noise.load(data), about)
    with progress() as tell:
        renewal = renew(training, target, judges, tell)
    _print_report(renewal.found, renewal.classifier)
    if figures:
        write_json(figures, {name: each.as_json() for name, each in renewal.found.items()})
    if not renewal.verdict.accepted:
        typer.echo(f"Not installed: worse than {renewal.compared}", err=True)
        for why in renewal.verdict.worse:
            typer.echo(f"  {why}", err=True)
        raise typer.Exit(1)
    if renewal.old and renewal.found["all"].first < renewal.old.first - _NOTABLY:
        typer.echo(f"Note: fewer are right than before ({renewal.old.first:.2%}).", err=True)
    kept = f"; the old one is in {renewal.kept}" if renewal.kept else ""
    typer.echo(f"Installed in {target}{kept}. An agent that runs loads it when started again.")


@intents_app.command(
    "eval", epilog="Example: appliance intents eval --data /srv/banking77 --json figures.json"
)
def eval_model(
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of BANKING77 or CLINC150: train on its training part first"),
    ] = None,
    model: ModelOption = None,
    base: BaseOption = None,
    heldout: HeldoutOption = None,
    quick: QuickOption = False,
    epochs: EpochsOption = EPOCHS,
    threads: ThreadsOption = 1,
    figures: JsonOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Judge the model by held-out examples, or the trainer by a public set.

    Without --data: the rules alone, the model alone, and both together, as said and as the shipped
    recognizer hears it. With --data: a model is trained on the set, which takes minutes, judged by
    its test part, and thrown away.
    """
    assert_folder(figures)
    if data:
        settings = None if quick else Settings(epochs=epochs, threads=threads)
        told: object = list(_benchmarks(data, base or _PUBLIC_BASE, settings))
    else:
        section = _configured(config)
        own = section.model / _DATA
        chosen = section.model_copy(update={"model": model}) if model else section
        told = _judged(chosen, own, read_heldout((own / "heldout", *(heldout or ()))))
    if figures:
        write_json(figures, told)


@intents_app.command(
    "try", epilog='Example: appliance intents try "yes but call me tomorrow" --slot yes_no'
)
def try_model(
    text: Annotated[str, typer.Argument(help="What a caller says")],
    slot: Annotated[str | None, typer.Option(help=f"What was asked: {', '.join(SLOTS)}")] = None,
    language: Annotated[str, typer.Option(help="en or es")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Show what an utterance is understood as: by the rules, by the model, and by both."""
    context = _context(slot, language)
    section = _configured(config)
    rules, model = RuleUnderstander(), open_model(section)
    begun = time.perf_counter()
    found = RulesAndModel(rules, model).understand(text, context)
    took = 1000 * (time.perf_counter() - begun)
    by_rule = rules.heard(text, context)
    reading = model.read(text, context.slot)
    by_model = {intent.name: intent.confidence for intent in reading.intents}
    if as_json:
        told = asdict(found) | {"rules": by_rule, "model": by_model, "ms": round(took, 2)}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    together = {intent.name: intent.confidence for intent in found.intents}
    names = sorted({**together, **by_rule, **by_model}, key=lambda name: -together.get(name, 0))
    rows = [
        [
            name,
            *(
                f"{each[name]:.2f}" if name in each else ""
                for each in (together, by_rule, by_model)
            ),
        ]
        for name in names[:8]
    ]
    print_table(("intent", "confidence", "rules", "model"), rows, "No intent.")
    for name, value in found.slots.items():
        typer.echo(f"{name}: {value}")
    typer.echo(f"{'out of scope, ' if found.out_of_scope else ''}{took:.1f} ms")


@intents_app.command("check", epilog="Example: appliance intents check /srv/flows/kennel/intents")
def check_examples(
    examples: Annotated[
        list[Path] | None, typer.Argument(metavar="[EXAMPLES…]", help="Folders of more examples")
    ] = None,
    heldout: HeldoutOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Check examples: duplicates, contradictions, and leaks into what is judged by.

    Exit code 1: there are some.
    """
    data = _configured(config).model / _DATA
    every = _trained_on(data, examples or ())
    judges = read_heldout((data / "heldout", *(heldout or ())))
    found = [*lint_examples(every), *lint_examples(judges), *leaks(every, judges)]
    for flaw in found:
        typer.echo(f"✗ {flaw}")
    lines = len({each.line for each in every})
    typer.echo(f"{lines} lines ({len(every)} readings), {len(judges)} held out, {len(found)} flaws")
    if found:
        raise typer.Exit(1)


def _configured(path: Path) -> UnderstandingConfig:
    """The section of the file, or its defaults where the default file is not there."""
    if path == CONFIG and not path.is_file():
        return UnderstandingConfig()
    return load_config(path).understanding


def _context(slot: str | None, language: str) -> Context:
    if slot is not None and slot not in SLOTS:
        raise ConfigError(f"--slot: {slot}: there are {', '.join(SLOTS)}")
    if language not in get_args(Language):
        raise ConfigError(f"--language: {language}: there are {', '.join(get_args(Language))}")
    return Context(cast("Slot | None", slot), cast("Language", language))


def _trained_on(data: Path, more: Iterable[Path]) -> list[Example]:
    """The shipped examples, also as they were heard, and an operator's own."""
    folders = (data / "train", *_heard(data / "train_heard"), *more)
    return [each for folder in folders for each in read_examples(folder)]


def _heard(folder: Path) -> list[Path]:
    """Examples as a recognizer heard them, where there are any."""
    return [folder] if folder.is_dir() else []


def _judged(section: UnderstandingConfig, data: Path, judges: list[Example]) -> dict[str, object]:
    """Print and give the figures of rules, model and both, by language."""
    rules, model = RuleUnderstander(), open_model(section)
    both = by_understander(RulesAndModel(rules, model))
    found = {
        "rules": in_parts(judges, by_understander(rules)),
        "model": in_parts(judges, by_model(model)),
        "together": in_parts(judges, both),
    }
    for folder in _heard(data / "heldout_heard"):
        found["together, as heard"] = in_parts(read_heldout((folder,)), both)
    for name in sorted(found.keys() - {"together"}):
        typer.echo(
            "\n".join(summary(f"{name}, {part}", each) for part, each in found[name].items())
        )
    _print_report(found["together"], model.classifier)
    pace = speed(model, judges) | {"size_mb": round(size_mb(section.model), 1)}
    typer.echo(", ".join(f"{name} {value}" for name, value in pace.items()))
    return pace | {
        name: {part: each.as_json() for part, each in parts.items()}
        for name, parts in found.items()
    }


def _refuse_flaws(every: list[Example], judges: list[Example]) -> None:
    """What would spoil the training or its judgement."""
    flaws = [*lint_examples(every), *leaks(every, judges)]
    if flaws:
        more = f"\nand {len(flaws) - 10} more" if len(flaws) > 10 else ""
        raise ConfigError(
            "\n".join(map(str, flaws[:10])) + more + "\nappliance intents check shows all"
        )


def _benchmarks(data: Path, base: Path, settings: Settings | None) -> Iterator[dict[str, Any]]:
    for public in read_public(data):
        with tempfile.TemporaryDirectory() as folder:
            with progress() as tell:
                found, told = run(public, base, settings, Path(folder), tell)
            typer.echo(summary(public.name, found))
            typer.echo("\n".join(details(found)))
            if public.held_back:
                typer.echo("No test part was given: some of the other parts were held back for it.")
            for name in ("training_s", "size_mb", "read_12_words_p50_ms", "read_12_words_p95_ms"):
                typer.echo(f"{name}: {told[name]}")
        yield told


def _print_report(found: dict[str, Evaluation], classifier: Classifier) -> None:
    for part, each in found.items():
        typer.echo(summary(f"together, {part}", each))
    typer.echo("\n".join([*guarded(found["all"]), *details(found["all"]), thresholds(classifier)]))
