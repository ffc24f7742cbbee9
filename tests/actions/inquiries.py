"""Sources and documents that say what a test says; the desk is the box's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event
from typing import Any

from appliance.actions.tools import Request
from appliance.errors import ApplianceError, StoreError
from appliance.findings import Excerpt, Finding, Lookup

AT = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
MARIA = {"found": True, "person_id": "p-1001", "name": "Maria Lopez", "email": "maria@example.com"}


@dataclass
class ScriptedSources:
    """By tool, its data, or the text of what goes wrong; `gate` holds every answer back."""

    says: dict[str, Any]
    asked: list[Lookup] = field(default_factory=list)
    gate: Event | None = None
    down: str = ""

    def look_up(self, lookups: Sequence[Lookup]) -> Mapping[str, Finding]:
        self.asked += lookups
        if self.gate is not None:
            assert self.gate.wait(10)
        return {each.tool: self._finding(each.tool) for each in lookups}

    def _finding(self, tool: str) -> Finding:
        said = self.says.get(tool, f"no source has a tool {tool}")
        if isinstance(said, str):
            return Finding(ok=False, at=AT, error=said)
        return Finding(ok=True, at=AT, data=said)

    def trouble(self) -> str:
        return self.down


@dataclass
class ScriptedLibrary:
    """Finds one passage that repeats the question."""

    refuses: ApplianceError | None = None

    def search(self, question: str, limit: int = 3) -> Sequence[Excerpt]:
        if self.refuses is not None:
            raise self.refuses
        return [Excerpt("e1", "guide.md", "The Guide", "", f"About {question}.", 0.9)]


NO_INDEX = StoreError("documents: there is no index: appliance docs add FOLDER")


def request(tool: str, key: str = "c1:1", /, **args: str) -> Request:
    return Request(
        key=f"{key}:{tool}", call="c1", tool=tool, args=args, at=AT, number="+13105550101",
        flow="status",
    )  # fmt: skip


def plan(*tools: str, docs: Sequence[str] = ()) -> str:
    listed = [{"tool": tool, "args": {"person_id": "p-1001"}} for tool in tools]
    return json.dumps({"tools": listed, "docs": list(docs)})
