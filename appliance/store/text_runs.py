"""How far the agent has come with each message that a user wrote to the helpdesk.

    begun ──┬─> done                     the flow has ended, and what follows it is stored
            └─> asked ──> done           a question went back; the user's next message continues it

A run that is `begun` and not done when the box starts was cut off. Its message is then run again,
with the same keys. The state of a dialogue is personal; it is emptied when the run is done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import JSON, String, Text, func, select
from sqlalchemy.orm import Mapped, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant


class Stage(StrEnum):
    """How far a run has come."""

    BEGUN = "begun"
    ASKED = "asked"
    DONE = "done"


class TextRunRow(Base):
    """The run for one message."""

    __tablename__ = "text_runs"

    key: Mapped[str] = mapped_column(String(160), primary_key=True)
    conversation: Mapped[str] = mapped_column(String(64), index=True)
    message: Mapped[str] = mapped_column(String(64))
    call: Mapped[str] = mapped_column(String(160))
    stage: Mapped[str] = mapped_column(String(8), index=True)
    at: Mapped[datetime] = mapped_column(Instant)
    question: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    deeds: Mapped[list[list[str]]] = mapped_column(JSON)


@dataclass(frozen=True, slots=True)
class TextRun:
    """The run for one message.

    Attributes:
        key: names the message among all desks.
        conversation: the desk's id of it.
        message: the desk's id of it.
        call: the key of the dialogue; that of the message that began it.
        at: when the run began.
        stage: how far it has come.
        question: what it asked back.
        state: where the dialogue stands after that, as JSON.
        deeds: tools that the dialogue has called, each with its outcome.
    """

    key: str
    conversation: str
    message: str
    call: str
    at: datetime
    stage: Stage = Stage.BEGUN
    question: str = ""
    state: str = ""
    deeds: tuple[tuple[str, str], ...] = ()


class TextRuns:
    """The table of runs; every method is one transaction and may raise StoreError. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(TextRunRow)

    def begin(self, run: TextRun, *, continues: str | None = None) -> None:
        """Keep that it begins; with it the run that it `continues` is done."""
        with self._database.writing() as session:
            session.merge(_row(run))
            if continues is not None:
                _empty(session.get_one(TextRunRow, continues))

    def asked(self, run: TextRun, question: str, state: str) -> TextRun:
        """Keep the question, before it is sent, and where the dialogue stands."""
        kept = replace(run, stage=Stage.ASKED, question=question, state=state)
        with self._database.writing() as session:
            session.merge(_row(kept))
        return kept

    def done(self, key: str) -> None:
        """Nothing is left to be done for it."""
        with self._database.writing() as session:
            _empty(session.get_one(TextRunRow, key))

    def find(self, key: str) -> TextRun | None:
        """The run of a message, if it was ever begun."""
        with self._database.reading() as session:
            row = session.get(TextRunRow, key)
            return None if row is None else _run(row)

    def knows(self, conversation: str) -> bool:
        """Whether there was ever a run in it."""
        wanted = select(TextRunRow.key).where(TextRunRow.conversation == conversation).limit(1)
        with self._database.reading() as session:
            return session.scalars(wanted).first() is not None

    def count_since(self, conversation: str, since: datetime) -> int:
        """How many runs began in it after that."""
        wanted = select(func.count(TextRunRow.key)).where(
            TextRunRow.conversation == conversation, TextRunRow.at > since
        )
        with self._database.reading() as session:
            return session.scalars(wanted).one()

    def open(self, conversation: str | None = None) -> list[TextRun]:
        """Runs that are not done, of one conversation or of all; the oldest first."""
        wanted = select(TextRunRow).where(TextRunRow.stage != Stage.DONE).order_by(TextRunRow.at)
        if conversation is not None:
            wanted = wanted.where(TextRunRow.conversation == conversation)
        with self._database.reading() as session:
            return [_run(row) for row in session.scalars(wanted)]


def _row(run: TextRun) -> TextRunRow:
    return TextRunRow(
        key=run.key, conversation=run.conversation, message=run.message, call=run.call,
        stage=run.stage.value, at=run.at, question=run.question, state=run.state,
        deeds=[list(each) for each in run.deeds],
    )  # fmt: skip


def _empty(row: TextRunRow) -> None:
    row.stage, row.question, row.state, row.deeds = Stage.DONE.value, "", "", []


def _run(row: TextRunRow) -> TextRun:
    return TextRun(
        row.key, row.conversation, row.message, row.call, row.at, Stage(row.stage), row.question,
        row.state, tuple((name, outcome) for name, outcome in row.deeds),
    )  # fmt: skip
