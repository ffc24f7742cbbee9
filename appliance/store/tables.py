"""Every table of the box, so that nothing that is kept is forgotten by those that look after all.

A module that declares tables is imported here; a test finds one that is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import MetaData

from appliance.store import (  # noqa: F401 (importing them declares their tables)
    actions,
    calendar,
    calendar_bookings,
    campaigns,
    conversation_rows,
    customers,
    outbox,
    papers,
    requests,
    stops,
    sweeps,
    text_runs,
    tombstones,
)
from appliance.store.database import Base
from appliance.store.documents import Index
from appliance.store.versions import BOX, DOCUMENTS, Chain

METADATA: Mapping[Chain, MetaData] = {BOX: Base.metadata, DOCUMENTS: Index.metadata}
