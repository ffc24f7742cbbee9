"""A small folder of documents and an index of it, for the tests of the library and the indexer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from appliance.clock import SystemClock
from appliance.knowledge.encoder import SentenceEncoder
from appliance.sections import DocumentsConfig
from appliance.session.indexing import Fate, Indexer, Step, Summary
from appliance.session.library import Library
from appliance.store.database import Database
from appliance.store.documents import DocumentStore, StoredDocument

MODEL = Path(__file__).parents[2] / "models/encoder"
ENCODER = SentenceEncoder(MODEL)

PAY = "# Pay\n\n## Payday\n\nWe pay every Friday. A transfer takes two days.\n"
DOGS = "# Dogs\n\nDogs may come to the office. Cats may not.\n"


@dataclass(frozen=True)
class Shelf:
    """A folder, and the index of it."""

    folder: Path
    config: DocumentsConfig

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def add(self, *folders: Path, encoder: SentenceEncoder = ENCODER) -> Summary:
        database = Database(self.config.store)
        try:
            indexer = Indexer(DocumentStore(database), encoder, SystemClock())
            return indexer.add(folders or (self.folder,), lambda _: None)
        finally:
            database.close()

    def fates(self) -> dict[str, Fate]:
        database = Database(self.config.store)
        steps: list[Step] = []
        Indexer(DocumentStore(database), ENCODER, SystemClock()).add([self.folder], steps.append)
        database.close()
        return {step.path: step.fate for step in steps}

    def stored(self) -> dict[str, StoredDocument]:
        database = Database(self.config.store)
        try:
            return {each.path: each for each in DocumentStore(database).all()}
        finally:
            database.close()

    def library(self) -> Library:
        return Library(self.config)


def shelf(root: Path) -> Shelf:
    folder = root / "docs"
    folder.mkdir()
    made = Shelf(folder, DocumentsConfig(store=root / "x.sqlite", encoder=MODEL))
    made.write("pay.md", PAY)
    made.write("deep/dogs.md", DOGS)
    return made
