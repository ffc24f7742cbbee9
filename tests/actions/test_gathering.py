import json
import time
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from appliance.actions.gathering import Gather
from appliance.actions.tools import Claim, Result
from tests.actions.inquiries import NO_INDEX, ScriptedLibrary, ScriptedSources, plan, request

DATA: dict[str, Any] = {"list_applications": {"applications": []}, "list_payments": "timed out"}


@pytest.fixture
def sources() -> ScriptedSources:
    return ScriptedSources(dict(DATA))


@pytest.fixture
def gather(sources: ScriptedSources) -> Iterator[Gather]:
    tool = Gather(sources, ScriptedLibrary(), 0.2)
    yield tool
    tool.close()


def gathered(tool: Gather, **args: str) -> tuple[dict[str, Any], dict[str, Any]]:
    result = tool(request("gather", **args), Claim())
    assert result.outcome == "done", result
    return json.loads(result.facts["tool_data"]), json.loads(result.facts["docs_data"])


def test_tools_and_documents_are_kept_apart(gather: Gather) -> None:
    tools, docs = gathered(gather, plan=plan("list_applications", docs=["withdrawing"]))
    assert list(tools) == ["list_applications"]
    assert tools["list_applications"]["ok"]
    assert tools["list_applications"]["args"] == {"person_id": "p-1001"}
    assert docs["withdrawing"]["excerpts"][0]["title"] == "The Guide"


def test_one_that_fails_leaves_the_others(gather: Gather) -> None:
    tools, _ = gathered(gather, plan=plan("list_applications", "list_payments"))
    assert tools["list_applications"]["ok"]
    assert not tools["list_payments"]["ok"]
    assert tools["list_payments"]["error"] == "timed out"


def test_hops_add_up(gather: Gather, sources: ScriptedSources) -> None:
    first = gather(request("gather", plan=plan("list_applications", docs=["one"])), Claim())
    tools, docs = gathered(gather, plan=plan("list_payments", docs=["two"]), **first.facts)
    assert set(tools) == {"list_applications", "list_payments"}
    assert set(docs) == {"one", "two"}


def test_a_failure_takes_nothing_away(gather: Gather, sources: ScriptedSources) -> None:
    first = gather(request("gather", plan=plan("list_applications")), Claim())
    sources.says["list_applications"] = "connection lost"
    tools, _ = gathered(gather, plan=plan("list_applications"), **first.facts)
    assert tools["list_applications"]["ok"]


def test_what_failed_before_is_had_now(gather: Gather, sources: ScriptedSources) -> None:
    first = gather(request("gather", plan=plan("list_payments")), Claim())
    sources.says["list_payments"] = {"payments": []}
    tools, _ = gathered(gather, plan=plan("list_payments"), **first.facts)
    assert tools["list_payments"]["ok"]


def test_no_index_is_an_entry(sources: ScriptedSources) -> None:
    tool = Gather(sources, ScriptedLibrary(NO_INDEX), 1)
    tools, docs = gathered(tool, plan=plan("list_applications", docs=["withdrawing"]))
    tool.close()
    assert tools["list_applications"]["ok"]
    assert docs["withdrawing"] == {"ok": False, "error": str(NO_INDEX)}


def test_what_takes_long_is_pending_and_asked_only_once(
    gather: Gather, sources: ScriptedSources
) -> None:
    sources.gate = Event()
    asked = request("gather", plan=plan("list_applications"))
    assert gather(asked, Claim()) == Result("pending")
    assert gather(asked, Claim()) == Result("pending")
    sources.gate.set()
    assert gather(asked, Claim()).outcome == "done"
    assert len(sources.asked) == 1
    assert gather(asked, Claim()).outcome == "done"  # another question of the same call
    assert len(sources.asked) == 2


def test_two_calls_do_not_wait_for_each_other(gather: Gather, sources: ScriptedSources) -> None:
    sources.gate = Event()
    assert gather(request("gather", plan=plan("list_applications")), Claim()) == Result("pending")
    started = time.monotonic()
    other = request("gather", plan=plan(docs=["one"]))
    other = type(other)(
        key="c2", call="c2", tool="gather", args=other.args, at=other.at, flow="status"
    )
    assert gather(other, Claim()).outcome == "done"
    assert time.monotonic() - started < 5
    sources.gate.set()


@pytest.mark.parametrize("text", ["{", "[]", '{"tools": [{"args": {}}], "docs": []}', "{}"])
def test_no_plan(gather: Gather, text: str) -> None:
    result = gather(request("gather", plan=text), Claim())
    assert result.outcome == "failed"
    assert result.facts["error"]


def test_nothing_to_ask_is_done_at_once(gather: Gather) -> None:
    assert gathered(gather, plan=plan()) == ({}, {})


def test_the_hop_of_a_call_that_is_over_is_forgotten(
    gather: Gather, sources: ScriptedSources
) -> None:
    sources.gate = Event()
    asked = request("gather", plan=plan("list_applications"))
    assert gather(asked, Claim()) == Result("pending")
    gather.forget("c1")
    gather.forget("c1")
    sources.gate.set()
    assert gather(asked, Claim()).outcome == "done"
    assert len(sources.asked) == 2
