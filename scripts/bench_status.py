"""How long does the status agent itself take? Its real parts, without the telephone.

    decision    the question is understood -> the holding phrase is decided
    gathering   the hop's tools and searches together, the servers' own time among it
    answering   the data are there -> the answer is decided: coverage, draft, policy, note
    speaking    the answer is decided -> its first sentence is sound (the rest follows behind it)

The sample MCP server and the sample documents are asked, and the desk is the box's own, on disk.
"""

from __future__ import annotations

import json
import logging
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from appliance.actions.tools import Result
from appliance.cli.chat import as_listened, understanding
from appliance.cli.chat_host import ChatHost, open_host
from appliance.clock import SystemClock
from appliance.config import Config, load_config
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Action, Turn
from appliance.flows.shelf import FlowSet, FlowShelf
from appliance.flows.textcall import TextCall
from appliance.logs import configure_logging
from appliance.session.outside import GATHER
from appliance.session.textwalk import TextWalk
from appliance.testing.figures import machine, summarize
from appliance.tts.loading import open_voice
from appliance.tts.sentences import split_sentences
from appliance.tts.voice import Voice

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = ("what is the status of my application", "where is my payment",
             "how do i withdraw my application")  # fmt: skip
_ANSWER = "deliver_reply"


@dataclass
class Timed:
    """One conversation, with a stopwatch in it."""

    host: ChatHost
    voice: Voice
    decision_ms: list[float] = field(default_factory=list)
    gathering_ms: list[float] = field(default_factory=list)
    answering_ms: list[float] = field(default_factory=list)
    speaking_ms: list[float] = field(default_factory=list)
    _had_at: float = 0.0

    def ask(self, flows: FlowSet, number: int) -> None:
        """Call, prove who it is, and ask all questions."""
        entry = {"caller_number": "+13105550101"}
        bound = flows.first.bind(f"bench-{number}", {}, entry=entry)
        call = TextCall(bound, as_listened(understanding(None)), SystemClock().now)
        walk = TextWalk(call, flows, self._perform, entry)
        self._follow(walk, call.starts())
        for question in (QUESTIONS[0], "90210", "no", *QUESTIONS[1:]):
            started = time.perf_counter()
            turn = call.types(question) if question.isdigit() else call.says(question)
            if turn.state.current == GATHER:
                self.decision_ms.append(_ms_since(started))
            self._follow(walk, turn)

    def _follow(self, walk: TextWalk, turn: Turn) -> None:
        for each in walk.follow(turn):
            replies = [act.args["reply"] for act in each.actions if act.name == _ANSWER]
            if self._had_at and replies:
                self.answering_ms.append(_ms_since(self._had_at))
                self._had_at = 0.0
                started = time.perf_counter()
                self.voice.synthesize(split_sentences(replies[0])[0])
                self.speaking_ms.append(_ms_since(started))

    def _perform(self, action: Action, flow: CallFlow) -> Result:
        started = time.perf_counter()
        result = self.host.perform(action, flow)
        if action.name == GATHER:
            self._had_at = time.perf_counter()
            self.gathering_ms.append(_ms_since(started))
        return result


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def measure(calls: int) -> Iterator[tuple[str, Sequence[float]]]:
    """The figures by name."""
    configure_logging(logging.WARNING)
    flows = FlowShelf("status").current
    with (
        tempfile.TemporaryDirectory() as folder,
        open_host(Config(), Path(folder) / "x.sqlite", flows.all(), (), "+13105550101") as host,
    ):
        box = load_config(ROOT / "appliance.example.toml")
        timed = Timed(host, open_voice(box.speaking, box.call.language))
        for number in range(calls):
            timed.ask(flows, number)
    yield "decision", timed.decision_ms
    yield "gathering", timed.gathering_ms
    yield "answering", timed.answering_ms
    yield "speaking", timed.speaking_ms


def main(
    calls: Annotated[int, typer.Option(min=1, help="Conversations of three questions")] = 20,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
) -> None:
    """Measure the status agent's own time."""
    found = {name: summarize(values) for name, values in measure(calls)}
    table = Table("milliseconds", "n", "p50", "p95", "p99")
    for name, row in found.items():
        table.add_row(name, *(str(row[key]) for key in row))
    console = Console(highlight=False)
    console.print(table)
    where = machine()
    console.print(f"{where['cpu']}, {where['cores']} cores, load {where['load_1min']}")
    if json_file is not None:
        json_file.write_text(json.dumps({**found, "machine": where}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    typer.run(main)
