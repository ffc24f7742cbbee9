"""The invented company that the status flow can be tried out with: its people and its documents.

Config ── with_samples(folder) ──> Config that starts the sample server and has its documents
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from appliance.clock import Clock
from appliance.config import Config
from appliance.dialogue.flow import Flow
from appliance.knowledge.encoder import SentenceEncoder
from appliance.samples.config import sample_sources
from appliance.session.indexing import Indexer
from appliance.session.outside import GATHER
from appliance.store.database import Database
from appliance.store.documents import DocumentStore

DOCUMENTS = Path(str(files("appliance.samples") / "documents"))
_ENCODER = Path(__file__).resolve().parents[2] / "models" / "encoder"


def needs_samples(flow: Flow, config: Config) -> bool:
    """Whether a flow asks sources, and none is configured."""
    return GATHER in flow.spec.tools and not config.sources.mcp


def with_samples(config: Config, folder: Path, clock: Clock) -> Config:
    """A configuration with the samples as its sources; their index is made in the folder.

    Raises:
        ConfigError: there is no encoder.
        StoreError: the index cannot be written.
    """
    documents = config.documents.model_copy(
        update={"store": folder / "documents.sqlite", "encoder": _ENCODER}
    )
    database = Database(documents.store)
    try:
        encoder = SentenceEncoder(documents.encoder, documents.threads)
        Indexer(DocumentStore(database), encoder, clock).add([DOCUMENTS], lambda _: None)
    finally:
        database.close()
    return config.model_copy(update={"sources": sample_sources(), "documents": documents})
