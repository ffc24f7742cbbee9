"""The campaign of a box: read at its start, and looked at again while it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from appliance.config import Config
from appliance.dialogue.campaign import Campaign, serialize_campaign
from appliance.errors import ConfigError, StoreError
from appliance.store.campaigns import CampaignStore
from appliance.store.database import Database
from appliance.types import Language

_log = structlog.get_logger()


def campaign_of(config: Config) -> Campaign | None:
    """The campaign that the configuration names; None if it names none.

    Raises:
        ConfigError: it is not stored, is not understood, or is in another language than the calls.
        StoreError: the database cannot be read.
    """
    if config.call.campaign is None:
        return None
    database = Database(config.record.store)
    try:
        return find_campaign(CampaignStore(database), config.call.campaign, config.call.language)
    finally:
        database.close()


def find_campaign(store: CampaignStore, name: str, language: Language) -> Campaign:
    """A stored campaign that calls in this language can be held with.

    Raises:
        ConfigError: it is not stored, is not understood, or is in another language.
    """
    stored = store.find(name)
    if stored is None:
        known = ", ".join(each.name for each in store.all()) or "none"
        raise ConfigError(
            f"call.campaign: no campaign {name} is stored; there are: {known};"
            f" `appliance campaign set {name} FILE` stores one"
        )
    campaign = stored.campaign()
    if campaign.config.language != language:
        raise ConfigError(
            f"call.campaign: campaign {name} is in {campaign.config.language}, but call.language is"
            f" {language}: the recognizer and the voice must speak it"
        )
    return campaign


class CampaignWatch:
    """Sees when the row of the campaign in use is changed. Blocking; from one thread at a time."""

    def __init__(self, name: str | None, database: Database, current: Campaign | None) -> None:
        self._name = name
        self._current = current
        self._store = CampaignStore(database) if name else None
        self._seen = serialize_campaign(current) if current else None
        self._trouble = ""

    def changed(self) -> bool:
        """Whether the row is other than when this was asked last; what cannot be read is not."""
        if self._store is None or self._name is None:
            return False
        try:
            stored = self._store.find(self._name)
        except StoreError as error:
            self._report(str(error))
            return False
        if stored is None:
            self._report("it was removed")
            return False
        self._trouble = ""
        before, self._seen = self._seen, stored.config
        return before != self._seen

    def wanted(self, language: Language) -> Campaign | None:
        """The campaign as it is stored now, or the last one where it was removed.

        Raises:
            ConfigError: it is not understood, or is in another language than the calls.
            StoreError: the database cannot be read.
        """
        if self._store is None or self._name is None:
            return None
        try:
            if self._store.find(self._name) is not None:
                self._current = find_campaign(self._store, self._name, language)
        except StoreError:
            self._seen = None  # look again
            raise
        return self._current

    def _report(self, why: str) -> None:
        """Say once that calls go on with the campaign as it was."""
        if why != self._trouble:
            self._trouble = why
            _log.warning("campaign not read; calls go on with it", campaign=self._name, why=why)


@contextmanager
def as_file(campaign: Campaign | None) -> Iterator[Path | None]:
    """A campaign as a file of its name, for a command; gone afterwards."""
    if campaign is None:
        yield None
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{campaign.name}.json"
        path.write_text(json.dumps(serialize_campaign(campaign)), encoding="utf-8")
        yield path
