"""The operator's systems as the box uses them: sources, documents, helpdesk, validation service.

Config ── open_outside ──> Outside ──┬─> tools of the status flow, by name
                                     └─> its wrap-up
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import structlog

from appliance.actions.gathering import Gather
from appliance.actions.inquiry import Desk, Judge
from appliance.actions.inquiry_record import KeepInquiry
from appliance.actions.opening import OpenInquiry, VerifyCaller
from appliance.actions.owed import Owed
from appliance.actions.replying import (
    DeliverReply,
    EscalateConversation,
    FinalizeConversation,
    SendCopy,
    ValidateReply,
)
from appliance.actions.tools import Tool
from appliance.actions.validation import HttpJudge
from appliance.actions.wrapup import CallOver, WrapUp
from appliance.clock import Clock
from appliance.config import Config
from appliance.desks.request_tracker import RequestTracker
from appliance.dialogue.flow import Flow
from appliance.errors import ApplianceError, ConfigError, StoreError
from appliance.findings import Excerpt
from appliance.sections import DocumentsConfig, ValidationConfig
from appliance.session.library import Library
from appliance.session.textmessage import Inbox
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers

if TYPE_CHECKING:
    from appliance.sources.hub import Hub

GATHER = "gather"
_log = structlog.get_logger()


class Documents:
    """The library, loaded when it is first asked: most flows never ask it."""

    def __init__(self, config: DocumentsConfig) -> None:
        self._config = config
        self._lock = Lock()
        self._library: Library | None = None

    def search(self, question: str, limit: int = 3) -> Sequence[Excerpt]:
        """See `actions.inquiry.Library`."""
        return self._loaded().search(question, limit)

    def close(self) -> None:
        """Release the index."""
        with self._lock:
            if self._library is not None:
                self._library.close()

    def _loaded(self) -> Library:
        with self._lock:
            if self._library is None:
                try:
                    self._library = Library(self._config)
                except ConfigError as error:
                    raise StoreError(f"documents: {error}") from error
            return self._library


@dataclass(frozen=True)
class Outside:
    """Opened once at start; everything in it may be used by several calls at once."""

    hub: Hub
    documents: Documents
    desk: Desk
    inbox: Inbox
    tools: Mapping[str, Tool]
    wrap_ups: Mapping[str, WrapUp]
    ends: tuple[Callable[[], None], ...]

    def start(self, flows: Iterable[Flow]) -> None:
        """Start the sources, and load what these flows will ask; what is not there is reported.

        It waits for each source to be up, or to have failed once.
        """
        self.hub.start()
        self.warm(flows)
        self.hub.settle()

    def warm(self, flows: Iterable[Flow]) -> None:
        """Load what these flows will ask; what is not there is reported."""
        if any(GATHER in flow.spec.tools for flow in flows):
            try:
                self.documents.search("warm up")
            except ApplianceError as error:
                _log.warning("documents cannot be searched", why=str(error))

    def close(self) -> None:
        """Wait for what is running, and end the programs that were started."""
        for end in self.ends:
            end()


def open_outside(config: Config, database: Database, clock: Clock) -> Outside:
    """What the configuration names; nothing is reached yet.

    Raises:
        ConfigError: a secret or certificate cannot be used.
        StoreError: a table cannot be created.
    """
    from appliance.sources.hub import Hub  # noqa: PLC0415 (mcp takes 0.7 s to import)

    hub, documents = Hub(config.sources, clock), Documents(config.documents)
    desk, owed = _desk(config, database, clock), Owed()
    gather = Gather(hub, documents, config.sources.wait_s)
    tools: dict[str, Tool] = {
        "open_inquiry": OpenInquiry(desk, hub),
        "verify_caller": VerifyCaller(desk, hub, owed),
        GATHER: gather,
        "validate_reply": ValidateReply(desk, _judge(config.validation), owed),
        "deliver_reply": DeliverReply(desk, owed),
        "send_copy": SendCopy(desk),
        "escalate_conversation": EscalateConversation(desk, owed),
        "finalize_conversation": FinalizeConversation(desk, config.desk.snooze_s),
    }
    papers = Papers(database, INQUIRY)
    keep = KeepInquiry(desk, papers, clock, config.desk.snooze_s, owed)

    def inquiry(over: CallOver) -> None:
        gather.forget(over.call)
        keep(over)

    ends = [hub.close, gather.close, documents.close]
    if isinstance(desk, RequestTracker):
        ends.append(desk.close)
    return Outside(hub, documents, desk, desk, tools, {"inquiry": inquiry}, tuple(ends))


def _desk(config: Config, database: Database, clock: Clock) -> Conversations | RequestTracker:
    if config.desk.request_tracker is not None and config.desk.kind == "request_tracker":
        return RequestTracker(config.desk.request_tracker)
    return Conversations(database, clock, config.notify.channels)


def _judge(config: ValidationConfig) -> Judge | None:
    return None if config.url is None else HttpJudge(config, config.url)
