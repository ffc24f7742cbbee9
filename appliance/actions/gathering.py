"""The tool `gather`: everything that a plan asks for at once, from systems and documents.

    plan ─┬─> sources (all lookups in parallel) ──> tool_data   by tool, what it said or why not
          └─> documents (one search a question) ──> docs_data   by question, the same
                                                    added to what was gathered before

What fails is an entry that says so: the others count (partial success). A hop that takes longer
than a caller should wait in silence is `pending`: it goes on, and the same plan asks for it again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any

from appliance.actions.inquiry import Library, Sources
from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.errors import ApplianceError
from appliance.findings import Lookup

PENDING = "pending"
_LONGEST_S = 120.0  # a hop that nobody has asked for since then is forgotten
_AT_ONCE = 4

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one hop is to find out."""

    lookups: tuple[Lookup, ...]
    questions: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Plan:
        """Read a plan of the flow's.

        Raises:
            ValueError: it is none.
        """
        try:
            body = json.loads(text)
            lookups = {each["tool"]: Lookup(each["tool"], each["args"]) for each in body["tools"]}
            return cls(tuple(lookups.values()), tuple(dict.fromkeys(body["docs"])))
        except (KeyError, TypeError) as error:
            raise ValueError(f"no plan: {error!r}") from error


@dataclass(slots=True)
class _Hop:
    """A plan that is being carried out."""

    plan: str
    tools: Future[Data]
    docs: Future[Data]
    asked: float


class Gather:
    """See the module. One for all calls."""

    waits = True

    def __init__(self, sources: Sources, library: Library, wait_s: float) -> None:
        self._sources, self._library, self._wait_s = sources, library, wait_s
        self._workers: Executor = ThreadPoolExecutor(_AT_ONCE * 2, "gather")
        self._hops: dict[str, _Hop] = {}
        self._lock = Lock()

    def __call__(self, request: Request, claim: Claim) -> Result:  # noqa: ARG002 (it only reads)
        """See `Tool`; outcomes are done, pending and failed."""
        try:
            hop = self._hop(request.call, request.args["plan"])
            _, late = wait((hop.tools, hop.docs), timeout=self._wait_s)
            if late:
                return Result(PENDING)
            with self._lock:
                self._hops.pop(request.call, None)
            tool_data = _added(request.args.get("tool_data"), hop.tools.result())
            docs_data = _added(request.args.get("docs_data"), hop.docs.result())
        except (ValueError, KeyError) as error:
            return Result(FAILED, {"error": f"{type(error).__name__}: {error}"})
        return Result(
            DONE, {"tool_data": json.dumps(tool_data), "docs_data": json.dumps(docs_data)}
        )

    def forget(self, call: str) -> None:
        """A call is over: nobody asks for its hop any more."""
        with self._lock:
            hop = self._hops.pop(call, None)
        if hop is not None:
            hop.tools.cancel()
            hop.docs.cancel()

    def close(self) -> None:
        """Wait for what is running."""
        self._workers.shutdown(wait=True, cancel_futures=True)

    def _hop(self, call: str, text: str) -> _Hop:
        """The hop that is under way for a call, or a new one."""
        plan, now = Plan.parse(text), time.monotonic()
        with self._lock:
            for each in [c for c, hop in self._hops.items() if now - hop.asked > _LONGEST_S]:
                del self._hops[each]  # who asked for it has hung up
            hop = self._hops.get(call)
            if hop is None or hop.plan != text:
                hop = self._hops[call] = _Hop(
                    text,
                    self._workers.submit(self._asked, plan.lookups),
                    self._workers.submit(self._searched, plan.questions),
                    now,
                )
            hop.asked = now
            return hop

    def _asked(self, lookups: Sequence[Lookup]) -> Data:
        found = self._sources.look_up(lookups) if lookups else {}
        return {
            each.tool: {
                "ok": found[each.tool].ok,
                **({"data": found[each.tool].data} if found[each.tool].ok
                   else {"error": found[each.tool].error}),
                "at": found[each.tool].at.isoformat(),
                "args": dict(each.args),
            }
            for each in lookups
        }  # fmt: skip

    def _searched(self, questions: Sequence[str]) -> Data:
        return {question: self._excerpts(question) for question in questions}

    def _excerpts(self, question: str) -> Data:
        try:
            found = self._library.search(question)
        except ApplianceError as error:
            return {"ok": False, "error": str(error)}
        return {"ok": True, "excerpts": [asdict(each) for each in found]}


def _added(before: str | None, found: Mapping[str, Any]) -> Data:
    """What was gathered before, and now; a failure takes nothing away that was had before."""
    known: Data = json.loads(before) if before else {}
    kept = {name: each for name, each in known.items() if each["ok"]}
    return {**known, **found, **{name: kept[name] for name in kept if not _ok(found, name)}}


def _ok(found: Mapping[str, Any], name: str) -> bool:
    return bool(found.get(name, {}).get("ok"))
