"""`appliance docs`: the operator's documents that answers are quoted from. Thin."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from appliance.cli.box import print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.config import load_config
from appliance.errors import ConfigError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.knowledge.fusion import THRESHOLD
from appliance.sections import DocumentsConfig
from appliance.session.document_checks import Weight, find_document_problems
from appliance.session.indexing import Fate, Indexer, Step, Summary
from appliance.session.library import Library
from appliance.store.database import Database
from appliance.store.documents import DocumentStore, StoredDocument

docs_app = typer.Typer(
    help="The documents that answers are quoted from (docs/documents.md).", no_args_is_help=True
)

_NONE = "No documents: appliance docs add FOLDER"


@docs_app.command("add", epilog="Example: appliance docs add /srv/handbook /srv/faq")
def add(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER…", help="Folders of .md .txt .html .pdf files")
    ],
    config: ConfigOption = CONFIG,
) -> None:
    """Index folders, or bring them up to date. Adding a document approves it to be quoted.

    What is in it may be read to any caller, word for word. Only what has changed is read again, and
    what is gone is taken out. It may be stopped at any time and run again. Exit code 1: a file was
    refused; the others are indexed.
    """
    documents = load_config(config).documents
    encoder = SentenceEncoder(documents.encoder, documents.threads)
    with _store(documents, create=True) as store:
        summary = Indexer(store, encoder, SystemClock()).add(folders, _tell)
    _print_summary(summary)
    if summary.refused:
        raise typer.Exit(1)


@docs_app.command("list", epilog="Example: appliance docs list --config appliance.toml")
def list_documents(config: ConfigOption = CONFIG) -> None:
    """List the documents that are indexed."""
    with _store(load_config(config).documents) as store:
        rows = [
            [each.path, each.title, str(each.passages), f"{each.added:%Y-%m-%d %H:%M}", each.folder]
            for each in store.all()
        ]
    print_table(("document", "title", "passages", "added", "folder"), rows, _NONE)


@docs_app.command("search", epilog='Example: appliance docs search "how do I get paid" --json')
def search(
    question: Annotated[str, typer.Argument(help="As a caller would ask it")],
    limit: Annotated[int, typer.Option(min=1, max=40, help="At most so many")] = 3,
    below: Annotated[bool, typer.Option(help="Show also what is not close enough")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Show what would be quoted in answer to a question. Exit code 1: nothing is close enough."""
    library = Library(load_config(config).documents)
    try:
        found = library.search(question, limit, 0.0 if below else THRESHOLD)
    finally:
        library.close()
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=2))
    else:
        for each in found:
            place = " > ".join(part for part in (each.title, each.heading) if part)
            typer.echo(f"{each.score:.2f}  {place}  ({each.document})\n      {each.text}")
    if not any(each.score >= THRESHOLD for each in found):
        typer.echo(f"Nothing is close enough to be quoted ({THRESHOLD}).", err=True)
        raise typer.Exit(1)


@docs_app.command("check", epilog="Example: appliance docs check --config appliance.toml")
def check(config: ConfigOption = CONFIG) -> None:
    """Check the index, its files, and whether its sentences are fit to be said.

    Exit code 1: there is a fault. Advice alone is exit code 0.
    """
    documents = load_config(config).documents
    encoder = SentenceEncoder(documents.encoder, documents.threads)
    with _store(documents) as store:
        count = len(store.all())
        problems = list(find_document_problems(store, encoder))
    for each in problems:
        mark = "✗" if each.weight is Weight.FAULT else "·"
        quote = f": “{each.sentence}”" if each.sentence else ""
        typer.echo(f"{mark} {each.document or documents.store}: {each.said}{quote}")
    faults = sum(each.weight is Weight.FAULT for each in problems)
    typer.echo(f"{count} documents, {faults} faults, {len(problems) - faults} pieces of advice")
    if faults:
        raise typer.Exit(1)


@docs_app.command("remove", epilog="Example: appliance docs remove /srv/handbook")
def remove(
    what: Annotated[str, typer.Argument(metavar="FOLDER|DOCUMENT", help="As `list` shows them")],
    config: ConfigOption = CONFIG,
) -> None:
    """Take a folder or a document out of the index. Its files stay.

    A document whose file stays comes back when its folder is added again.
    """
    with _store(load_config(config).documents) as store:
        wanted = list(_named(store.all(), what))
        if not wanted:
            raise ConfigError(
                f"{what}: neither an indexed folder nor a document: appliance docs list"
            )
        for each in wanted:
            store.remove(each.folder, each.path)
    typer.echo(f"{len(wanted)} documents removed")


def _named(documents: list[StoredDocument], what: str) -> Iterator[StoredDocument]:
    path = Path(what)
    for each in documents:
        if what == each.path or path.resolve() in (Path(each.folder), each.file):
            yield each


@contextmanager
def _store(documents: DocumentsConfig, *, create: bool = False) -> Iterator[DocumentStore]:
    if not create and not documents.store.is_file():
        raise ConfigError(f"{documents.store}: no index: appliance docs add FOLDER")
    database = Database(documents.store)
    try:
        yield DocumentStore(database)
    finally:
        database.close()


def _tell(step: Step) -> None:
    """A line for each file; unchanged ones only where somebody watches."""
    if step.fate is Fate.UNCHANGED and not sys.stdout.isatty():
        return
    why = f": {step.why}" if step.why else ""
    path = step.path.encode("utf-8", "backslashreplace").decode()
    typer.echo(f"[{step.number}/{step.of}] {step.fate} {path}{why}", err=step.fate is Fate.REFUSED)


def _print_summary(summary: Summary) -> None:
    counts = ", ".join(f"{count} {fate}" for fate, count in summary.fates.items() if count)
    typer.echo(f"Documents: {counts or 'none'}")
    if summary.ignored:
        typer.echo(f"{summary.ignored} files of other kinds were left alone.")
