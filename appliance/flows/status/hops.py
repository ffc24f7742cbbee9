"""The record of the hops of a run: what each planned, what came of it, and how well it covered.

It decides nothing; the wrap-up `inquiry` keeps it for whoever asks why an answer was given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from appliance.dialogue.checks import CheckInput
from appliance.flows.status.coverage import Coverage
from appliance.flows.status.evidence import Case
from appliance.flows.status.planning import Plan


def planned(given: CheckInput, case: Case, plan: Plan) -> str:
    """The hops with a new one for this plan, as a fact."""
    hop: dict[str, Any] = {"question": case.inquiry.question, "hop": 2 if case.last_hop else 1}
    return json.dumps([*_hops(given), hop | {"plan": json.loads(plan.to_json())}])


def covered(given: CheckInput, case: Case, found: Coverage) -> str:
    """The hops, where the last one has what was gathered for it and its coverage."""
    hops = _hops(given)
    if not hops or "coverage" in hops[-1]:  # nothing was planned: "hi"
        hops.append({"question": case.inquiry.question, "hop": 2 if case.last_hop else 1})
    evidence = case.evidence
    hops[-1] |= {
        "gather": {"tools": _ok(evidence.tools), "docs": _ok(evidence.docs)},
        "coverage": {
            "score": found.score, "gaps": list(found.gaps), "sufficient": found.sufficient,
        },
    }  # fmt: skip
    return json.dumps(hops)


def _hops(given: CheckInput) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(str(given.facts.get("hops", "[]")))
    return found


def _ok(results: Mapping[str, Any]) -> dict[str, bool]:
    return {name: bool(each.ok) for name, each in results.items()}
