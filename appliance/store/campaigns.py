"""The campaigns of a box: one row each, with the configuration as JSON.

`version` counts the changes of a row, for people. Who follows a campaign compares all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Integer, String, select
from sqlalchemy.orm import Mapped, mapped_column

from appliance.dialogue.campaign import Campaign, parse_campaign, serialize_campaign
from appliance.store.database import Base, Database


class CampaignRow(Base):
    """One campaign as it is now."""

    __tablename__ = "campaigns"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    version: Mapped[int] = mapped_column(Integer)
    config: Mapped[dict[str, Any]] = mapped_column(JSON)
    changed: Mapped[datetime] = mapped_column(DateTime(timezone=True))


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """A row; what is in `config` was checked when it was stored, but may be older than the flow."""

    name: str
    version: int
    config: dict[str, Any]
    changed: datetime

    def campaign(self) -> Campaign:
        """The campaign.

        Raises:
            ConfigError: it is none that this version of the appliance understands.
        """
        return parse_campaign(self.name, self.config)


class CampaignStore:
    """The table of campaigns; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(CampaignRow)

    def put(self, campaign: Campaign, at: datetime) -> int:
        """Store a campaign in place of what has its name; returns its version, from 1.

        It must have been proven with the flow that it is for.

        Raises:
            StoreError: it could not be stored.
        """
        with self._database.writing() as session:
            row = session.get(CampaignRow, campaign.name)
            if row is None:
                row = CampaignRow(name=campaign.name, version=0)
                session.add(row)
            row.version += 1
            row.config = serialize_campaign(campaign)
            row.changed = at
            return row.version

    def find(self, name: str) -> StoredCampaign | None:
        """A campaign by its name; None if there is none.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._database.reading() as session:
            row = session.get(CampaignRow, name)
            return _stored(row) if row is not None else None

    def all(self) -> list[StoredCampaign]:
        """Every campaign, by name.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._database.reading() as session:
            rows = session.scalars(select(CampaignRow).order_by(CampaignRow.name))
            return [_stored(row) for row in rows]

    def remove(self, name: str) -> bool:
        """Remove a campaign; False if there is none of that name.

        Raises:
            StoreError: it could not be removed.
        """
        with self._database.writing() as session:
            row = session.get(CampaignRow, name)
            if row is not None:
                session.delete(row)
            return row is not None


def _stored(row: CampaignRow) -> StoredCampaign:
    return StoredCampaign(row.name, row.version, dict(row.config), row.changed)
