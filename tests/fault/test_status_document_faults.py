"""The status flow with documents that cannot be searched."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.config import Config
from tests.fault.status_box import (
    StatusBox,
    asked,
)

Start = Callable[..., StatusBox]

HOPS = "Exceeded maximum hops (2). Unable to gather sufficient data."
GUIDE = "How long does a background check take?"
PAID = "Where is my payment?"
HELD = "Why is my payment on hold?"
MINE = "What is the status of my application?"


def without_index(config: Config, folder: Path) -> Config:
    return documents(config, store=folder / "none.sqlite")


def corrupt_index(config: Config, folder: Path) -> Config:
    path = folder / "corrupt.sqlite"
    data = bytearray(config.documents.store.read_bytes())
    data[4096 : len(data) // 2] = bytes(len(data) // 2 - 4096)
    path.write_bytes(data)
    return documents(config, store=path)


def cut_index(config: Config, folder: Path) -> Config:
    path = folder / "cut.sqlite"
    data = config.documents.store.read_bytes()
    path.write_bytes(data[: len(data) // 3])
    return documents(config, store=path)


def no_database(config: Config, folder: Path) -> Config:
    path = folder / "text.sqlite"
    path.write_text("this is no database " * 1000)
    return documents(config, store=path)


def wrong_vectors(config: Config, folder: Path) -> Config:
    """Every vector has lost its end, as after a write that was cut."""
    path = folder / "vectors.sqlite"
    shutil.copy(config.documents.store, path)
    with sqlite3.connect(path) as database:
        tables = [name for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")]  # fmt: skip
        for table in tables:
            for _, name, kind, *_ in database.execute(f"PRAGMA table_info('{table}')"):
                if kind == "BLOB" and "fts" not in table and "words" not in table:
                    database.execute(f"UPDATE {table} SET {name} = substr({name}, 1, 10)")
    database.close()
    return documents(config, store=path)


def other_encoder(config: Config, folder: Path) -> Config:
    """The index is of another one: one byte differs, and its vectors mean something else."""
    path = folder / "encoder"
    shutil.copytree(config.documents.encoder, path)
    with (path / "tokenizer.json").open("a") as file:
        file.write("\n")
    return documents(config, encoder=path)


def no_encoder(config: Config, folder: Path) -> Config:
    return documents(config, encoder=folder / "none")


def documents(config: Config, **changes: Any) -> Config:
    return config.model_copy(update={"documents": config.documents.model_copy(update=changes)})


def cut_encoder(config: Config, folder: Path) -> Config:
    path = folder / "encoder"
    shutil.copytree(config.documents.encoder, path)
    with (path / "encoder.onnx").open("r+b") as file:
        file.truncate(100_000)
    return documents(config, encoder=path)


INDEXES = (
    without_index,
    corrupt_index,
    cut_index,
    no_database,
    wrong_vectors,
    other_encoder,
    no_encoder,
    cut_encoder,
)


@pytest.mark.parametrize("breaks", INDEXES)
def test_documents_that_cannot_be_searched(
    breaks: Callable[[Config, Path], Config], config: Config, start: Start, tmp_path: Path
) -> None:
    box = start(breaks(config, tmp_path))
    outcome = asked(box, GUIDE)
    assert (outcome.status, outcome.escalations) == ("ROUTE_TO_TEAM", [HOPS])
    assert (outcome.said, outcome.validations) == ([], [])
    failed = box.paper()["docs_data"]
    assert failed
    assert all(not each["ok"] and each["error"] for each in failed.values())


@pytest.mark.parametrize("breaks", [without_index, no_encoder])
def test_without_documents_the_sources_still_answer(
    breaks: Callable[[Config, Path], Config], config: Config, start: Start, tmp_path: Path
) -> None:
    outcome = asked(start(breaks(config, tmp_path)), HELD)
    assert outcome.status == "success"
    assert "Your payment of $480.00 is on hold." in outcome.said[0]
    assert "I could not look up our guide to payments." in outcome.said[0]


def test_index_that_is_made_while_the_box_runs_is_used(
    config: Config, start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "late.sqlite"
    box = start(documents(config, store=path))
    assert asked(box, GUIDE).status == "ROUTE_TO_TEAM"
    shutil.copy(config.documents.store, path)
    conversation = box.writes("ana", GUIDE, "k2")
    box.answers()
    outcome = box.outcome(conversation)
    assert outcome.status == "success"
    assert "From the guide " in outcome.said[0]
