"""`appliance prompts`: the prompts that a box has rendered before its calls. Thin."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from appliance.cli.box import print_table
from appliance.cli.models_eval import config_of
from appliance.cli.output import progress
from appliance.cli.places import CONFIG, ConfigOption
from appliance.config import Config
from appliance.session.prompts import PromptBook, PromptState, open_voices, read_flows
from appliance.tts.pruning import Pruned, damaged, prune
from appliance.tts.slots import SlotSentence

prompts_app = typer.Typer(
    help="The prompts that are rendered before calls (docs/speaking.md).", no_args_is_help=True
)

_NONE = "No prompts: the flows have no fixed text"
_SLOT = re.compile(r'<slot name="([^"]*)"/>')
_DAY_S = 86_400
_MEGABYTE = 1_000_000


@prompts_app.command("list", epilog="Example: appliance prompts list --missing")
def list_prompts(
    missing: Annotated[
        bool, typer.Option("--missing", help="Only those that are not rendered")
    ] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """List what is rendered of the flows' sentences, in each voice that speaks them."""
    states = _book(config_of(config)).states()
    shown = [each for each in states if not missing or each.seconds is None]
    rows = [[each.voice, _kind(each), _length(each), _text(each)] for each in shown]
    nothing = "All prompts are rendered" if states else _NONE
    print_table(("voice", "what", "seconds", "text"), rows, nothing)


@prompts_app.command("render", epilog="Example: appliance prompts render --config appliance.toml")
def render(
    anew: Annotated[bool, typer.Option("--anew", help="Render what is there already, too")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Render what is not rendered yet, so that the next start is quick.

    It may be interrupted at any time: what is done is kept, and the next run goes on. It ends at
    the first prompt that cannot be written.
    """
    book = _book(config_of(config), must_keep=True)
    if anew:
        book.discard()
    with progress() as tell:
        book.prepare(lambda done, total: tell("prompts", done, total))
    states = book.states()
    seconds = sum(each.seconds or 0.0 for each in states)
    typer.echo(f"prompts: {len(states)}, {seconds / 60:.1f} minutes of speech")


@prompts_app.command("check", epilog="Example: appliance prompts check")
def check(config: ConfigOption = CONFIG) -> None:
    """Check the rendered prompts: checksums, names, and whether any is missing.

    What is damaged is rendered anew by `appliance prompts render`, or by the next start. Exit code
    1: something is damaged or missing.
    """
    box = config_of(config)
    faulty = damaged(box.speaking.cache)
    for path in faulty:
        typer.echo(f"✗ {path}: damaged")
    states = _book(box).states()
    absent = [each for each in states if each.seconds is None and each.path not in faulty]
    for each in absent:
        typer.echo(f"✗ {each.voice}: not rendered: {_text(each)}")
    typer.echo(f"prompts: damaged {len(faulty)}, not rendered {len(absent)}")
    if faulty or absent:
        raise typer.Exit(1)


@prompts_app.command("prune", epilog="Example: appliance prompts prune --older-than 30 --dry-run")
def prune_prompts(
    older_than: Annotated[
        float, typer.Option(min=0, help="Only what was not used for so many days")
    ] = 0,
    max_mb: Annotated[
        float,
        typer.Option(min=0, help="Only until all together are this size; longest unused first"),
    ] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Remove prompts that no flow and no voice of this configuration needs any more.

    Several boxes may share a folder of prompts: then keep what was used lately (--older-than).
    """
    box = config_of(config)
    wanted = _book(box).paths()
    pruned = prune(
        box.speaking.cache,
        wanted,
        older_than_s=older_than * _DAY_S,
        at_most_bytes=round(max_mb * _MEGABYTE),
        dry=dry_run,
    )
    typer.echo(_told(pruned, dry=dry_run))


def _book(config: Config, *, must_keep: bool = False) -> PromptBook:
    language = config.call.language
    voices = open_voices(config.speaking, language, must_keep=must_keep)
    return PromptBook(config.speaking, voices, read_flows(config), language)


def _kind(state: PromptState) -> str:
    if not isinstance(state.wanted, SlotSentence):
        return "sentence"
    return "head" if state.seconds != 0 else "no head"


def _text(state: PromptState) -> str:
    """The sentence as its author writes it."""
    return _SLOT.sub(r"{\1}", state.speech)


def _length(state: PromptState) -> str:
    return "missing" if state.seconds is None else f"{state.seconds:.1f}"


def _told(pruned: Pruned, *, dry: bool) -> str:
    went = "would go" if dry else "removed"
    return (
        f"{went}: {pruned.files} files, {pruned.size / _MEGABYTE:.1f} MB; "
        f"left: {pruned.kept_files} files, {pruned.kept_size / _MEGABYTE:.1f} MB"
    )
