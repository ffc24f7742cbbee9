"""The sections of the configuration that name systems of the operator's own, on his network.

[sources.mcp.NAME]  MCP servers     [documents]  retrieval     [desk]  helpdesk     [validation]

and those on what is kept of calls: [retention], [backup].
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Port = Annotated[int, Field(ge=1, le=65535)]
_URL = r"^https?://[^\s/]+"


class Section(BaseModel):
    """What all sections have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceConfig(Section):
    """An MCP server: a program that is started with the box, or one that is reached by HTTP."""

    command: tuple[str, ...] = Field(
        (), description="Program and arguments; it speaks MCP on stdin and stdout"
    )
    environment: dict[str, str] = Field(
        {},
        description="Its environment beside PATH, HOME and the locale; no secrets",
    )
    secrets: dict[str, Path] = Field(
        {}, description="Environment variables whose value is read from a file"
    )
    url: str | None = Field(
        None, pattern=_URL, description="Or: where it is reached by streamable HTTP"
    )
    token_file: Path | None = Field(
        None, description="File that holds the bearer token sent to the url (one line)"
    )
    ca_file: Path | None = Field(
        None, description="Certificates that the server's may be signed by; default: the system's"
    )
    tools: tuple[str, ...] = Field((), description="Tools that are used; default: all it has")
    deadline_s: float = Field(
        3.0,
        gt=0,
        le=60,
        description="A call that takes longer has failed, retries included, seconds",
    )
    tries: int = Field(
        2, ge=1, le=5, description="Attempts within the deadline, with growing pauses"
    )
    start_s: float = Field(
        10.0, gt=0, le=120, description="How long it may take to start or to connect, seconds"
    )
    break_after: int = Field(
        5, ge=1, le=100, description="Failures in a row after which it is left alone for a while"
    )
    break_s: float = Field(30.0, ge=1, le=3600, description="How long it is left alone, seconds")

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        if self.url and (self.environment or self.secrets):
            raise ValueError("environment and secrets belong to a command")
        if not self.url and (self.token_file or self.ca_file):
            raise ValueError("token_file and ca_file belong to a url")
        return self


class SourcesConfig(Section):
    """The operator's own systems that flows may ask."""

    mcp: dict[str, SourceConfig] = Field(
        {}, description="MCP servers by name, each a section: [sources.mcp.people]"
    )
    wait_s: float = Field(
        4.0,
        ge=0.5,
        le=30,
        description="After this the caller is told that it takes longer, seconds",
    )


class DocumentsConfig(Section):
    """Retrieval from the operator's documents; `appliance docs add` fills it."""

    store: Path = Field(
        Path("var/documents.sqlite"), description="SQLite database of the indexed documents"
    )
    encoder: Path = Field(
        Path("models/encoder"), description="Folder of the sentence encoder (ONNX)"
    )
    threads: int = Field(1, ge=1, le=16, description="Threads inside one encoding")


class RequestTrackerConfig(Section):
    """A Request Tracker on the network, through its REST 2 API."""

    url: str = Field(pattern=_URL, description="Its address, e.g. http://192.0.2.20/rt")
    token_file: Path = Field(
        description="File that holds an authentication token of the agent's user"
    )
    ca_file: Path | None = Field(
        None, description="Certificates that the server's may be signed by; default: the system's"
    )
    queue: str = Field("General", description="The queue whose tickets the agent answers")
    deadline_s: float = Field(
        5.0, gt=0, le=60, description="A request that takes longer has failed"
    )


class DeskConfig(Section):
    """The helpdesk whose conversations the agent answers."""

    kind: Literal["own", "request_tracker"] = Field(
        "own",
        description="own: kept in the box's store; request_tracker: see [desk.request_tracker]",
    )
    request_tracker: RequestTrackerConfig | None = Field(
        None, description="Needed if kind is request_tracker"
    )
    flow: str | None = Field(
        None, description="Flow that answers text messages; default: none is answered"
    )
    snooze_s: int = Field(
        300,
        ge=0,
        le=86400,
        description="How long a conversation is snoozed after the agent, seconds",
    )
    poll_s: float = Field(1.0, ge=0.1, le=60, description="How often new messages are looked for")
    address: str = Field("127.0.0.1", description="Address of the HTTP API of the own desk")
    port: Port | None = Field(None, description="Its TCP port; without one there is no API")
    token_file: Path | None = Field(
        None, description="File that holds the token that clients send; needed with a port"
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.kind == "request_tracker" and self.request_tracker is None:
            raise ValueError("kind request_tracker needs [desk.request_tracker]")
        if self.port is not None and self.token_file is None:
            raise ValueError("a port needs a token_file: the API holds personal data")
        return self


class HealthConfig(Section):
    """Where the agent says how it is: /healthz, /readyz and /metrics (docs/monitoring.md)."""

    socket: Path | None = Field(
        None, description="Unix socket that it answers HTTP on; `appliance health` asks there"
    )
    port: Port | None = Field(None, description="TCP port of 127.0.0.1 that it answers HTTP on")
    min_free_mb: int = Field(
        200,
        ge=10,
        le=1_000_000,
        description="With less space than this for records and store it says that it is not ready, "
        "megabytes",
    )


LEGAL_DAYS = 1096
"""Three years: how long 12 CFR 1006.100 has records of debts kept after the last activity."""


class RetentionConfig(Section):
    """How long data are kept; `appliance retention run` removes what is older (docs/data.md)."""

    legal_minimum: bool = Field(
        True,
        description="Whether calls that may collect debts are kept for three years at least "
        "(12 CFR 1006.100); false: this box collects no debts, or another law counts",
    )
    no_debts: tuple[str, ...] = Field(
        ("booking", "renovation", "status"),
        description="Flows that collect no debts; what every other flow did falls under "
        "legal_minimum",
    )
    debt_calls_days: int = Field(
        LEGAL_DAYS,
        ge=1,
        le=36500,
        description="Logs, records, papers, actions and requests of calls that may collect debts: "
        "so long after the last activity with that caller or account, days",
    )
    calls_days: int = Field(
        365,
        ge=1,
        le=36500,
        description="Logs, records, papers and actions of other calls: the same, days",
    )
    requests_days: int = Field(
        365, ge=1, le=36500, description="Callbacks and leads, from when they were closed, days"
    )
    bookings_days: int = Field(
        365, ge=1, le=36500, description="Bookings, from the day of the appointment, days"
    )
    customers_days: int = Field(
        1096,
        ge=1,
        le=36500,
        description="Customers, from the last activity of their number, days",
    )
    conversations_days: int = Field(
        365,
        ge=1,
        le=36500,
        description="Conversations of the own desk, from their last change, days",
    )
    outbox_days: int = Field(
        30,
        ge=1,
        le=36500,
        description="Notifications, from when they were delivered or given up, days",
    )
    stop_tools: tuple[str, ...] = Field(
        ("mark_do_not_contact",),
        description="Tools by which flows keep that a caller wants no more calls; nothing removes "
        "what they kept",
    )

    @model_validator(mode="after")
    def _keeps_what_the_law_wants(self) -> Self:
        if self.legal_minimum and self.debt_calls_days < LEGAL_DAYS:
            raise ValueError(
                f"debt_calls_days: records of debt collection are kept for {LEGAL_DAYS} days at "
                "least (12 CFR 1006.100); where this box collects no debts, write "
                "legal_minimum = false"
            )
        return self


class BackupConfig(Section):
    """Where `appliance backup create` writes, and how much of it stays."""

    folder: Path = Field(
        Path("var/backups"), description="Folder of the archives; best on another disk"
    )
    keep: int = Field(
        14, ge=1, le=1000, description="Archives that are kept; older ones are removed"
    )
    keep_before_migration: int = Field(
        3, ge=1, le=100, description="The same of those that were written before a migration"
    )


class CheckupConfig(Section):
    """The call by which the box tests itself (docs/setup.md)."""

    user: str | None = Field(
        None,
        description="Extension of the PBX to call from, where it lets none call itself; default: "
        "the one of [line.registrar]",
    )
    password_file: Path | None = Field(
        None, description="File that holds the password of that extension (one line)"
    )
    number: str | None = Field(
        None,
        description="What the PBX shows the box as the number of that caller, if it is not the "
        "extension",
    )
    sla: Path | None = Field(
        None, description="Limits that the call is held against (docs/benchmark.md), TOML"
    )

    @model_validator(mode="after")
    def _has_both_or_neither(self) -> Self:
        if (self.user is None) != (self.password_file is None):
            raise ValueError("user and password_file belong together")
        return self


class ValidationConfig(Section):
    """A service of the operator's that judges every reply too, after the flow's own policy."""

    url: str | None = Field(None, pattern=_URL, description="Where replies are posted to")
    token_file: Path | None = Field(
        None, description="File that holds the bearer token sent to it (one line)"
    )
    ca_file: Path | None = Field(
        None, description="Certificates that the server's may be signed by; default: the system's"
    )
    deadline_s: float = Field(3.0, gt=0, le=30, description="An answer that comes later is none")
