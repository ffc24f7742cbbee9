"""How fast is the appliance on the telephone? Real SIP calls, measured from the callers' side.

    response gap    last speech packet sent -> first speech packet received    (on the wire)
    false cut-off   the appliance took a turn for over though its utterance went on
    decision        end of turn detected -> first audio frame to the line      (agent's logs)

Callers by the dozen, in processes of their own, call all five flows; some pause for thought.
Figures by kind of question, at one or several numbers of calls at once, with 95% intervals; see
docs/benchmark.md.

Without --target it starts the appliance with the shipped models, flow after flow; with it, it calls
what is there: another box, or an extension of a PBX. An SLA turns the exit code into a verdict:
0 kept, 1 missed or calls failed, 2 wrong usage or set-up.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

import appliance.cli.single_thread  # noqa: F401 (before numpy)
from appliance.config import HearingConfig
from appliance.errors import ApplianceError
from appliance.testing.digest import Credentials
from appliance.testing.figures import machine
from appliance.testing.latency import suite
from appliance.testing.latency.document import (
    Document,
    PlanFigures,
    holds,
    judge_barge_in,
    judge_levels,
    missed,
)
from appliance.testing.latency.jobs import Far
from appliance.testing.latency.observed import CallReport
from appliance.testing.latency.page import write_page
from appliance.testing.latency.sitting import Box, open_box
from appliance.testing.latency.sla import Sla, load_sla
from appliance.testing.latency.tables import show
from appliance.testing.sip import parse_uri
from appliance.types import Language

KEPT, MISSED, BROKEN = 0, 1, 2
_ADMIT_ALL_MS = 5000
_EXAMPLES = """Examples:

scripts/bench_latency.py --concurrency 8 --calls 16 --sla scripts/sla.example.toml --html r.html

scripts/bench_latency.py --ramp 24 --admit-all --sla scripts/sla.example.toml --json figures.json

scripts/bench_latency.py --flow status --calls 4

scripts/bench_latency.py --target sip:200@192.0.2.5 --user 300 --password-file pw --flow booking"""


@contextlib.contextmanager
def _there(box: Box) -> Iterator[Box]:
    """A box that runs already."""
    yield box


def _local_address(target: str) -> str:
    """The address of this machine that reaches a target; nothing is sent."""
    uri = parse_uri(target)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((uri.host, uri.port))
        return str(probe.getsockname()[0])


def _rounds(
    flows: list[str], language: Language, far: Box | None, levels: tuple[int, ...], admit_all: bool
) -> list[suite.Round]:
    """A box for each flow, or the one that is there."""
    extra: dict[str, dict[str, Any]] = {
        "call": {"language": language},
        "hearing": {"sla_ms": _ADMIT_ALL_MS if admit_all else HearingConfig().sla_ms},
    }
    return [
        suite.Round(
            flow,
            suite.scripts_of(flow, language),
            partial(_there, far) if far else partial(open_box, flow, max(levels), extra, _silent),
        )
        for flow in flows
    ]


def _silent(_: str) -> None:
    """A starting box says nothing here."""


def main(
    flow: Annotated[
        list[str] | None, typer.Option(help="Repeatable; default: all five, one after another")
    ] = None,
    calls: Annotated[int, typer.Option(min=1, help="Of each flow at each level, at least")] = 8,
    concurrency: Annotated[
        list[int] | None, typer.Option(min=1, help="Calls at once; repeatable; default 1")
    ] = None,
    ramp: Annotated[
        int | None, typer.Option(min=1, help="1 to so many at once, until the limits break")
    ] = None,
    warm_up: Annotated[int, typer.Option(min=0, help="First calls to each box, thrown away")] = 2,
    sla: Annotated[Path | None, typer.Option(help="Limits, TOML (docs/benchmark.md)")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report with plots")] = None,
    language: Annotated[str, typer.Option(help="en or es; es: collections only")] = "en",
    admit_all: Annotated[
        bool, typer.Option(help="Lift admission, to see where the limits really break")
    ] = False,
    target: Annotated[str | None, typer.Option(help="SIP URI of what is there")] = None,
    calls_folder: Annotated[
        Path | None, typer.Option(help="Its [record] folder, if it is on this machine")
    ] = None,
    user: Annotated[str, typer.Option(help="Account at the PBX to call as")] = "",
    password_file: Annotated[Path | None, typer.Option(help="Its password")] = None,
    register: Annotated[bool, typer.Option(help="Register with the PBX first")] = False,
) -> None:
    """Measure the latency of real calls, and hold it against an SLA."""
    console = Console(highlight=False)
    if language not in ("en", "es") or (ramp and concurrency):
        raise typer.BadParameter("--language is en or es; --ramp goes without --concurrency")
    spoken: Language = "en" if language == "en" else "es"
    far = None
    if target is not None:
        if not flow or len(flow) > 1:
            raise typer.BadParameter("--target needs one --flow: which of them answers there")
        credentials = _credentials(user, password_file)
        far = Box(
            Far(
                targets=(target,), address=_local_address(target), credentials=credentials,
                register_first=register, as_user=user,
            ),
            calls_folder,
        )  # fmt: skip
    elif user or password_file or register or calls_folder:
        raise typer.BadParameter(
            "--user, --password-file, --register, --calls-folder: of a --target"
        )
    limits = load_sla(sla) if sla is not None else Sla()
    levels = suite.ramp_levels(ramp) if ramp else tuple(sorted(set(concurrency or [1])))
    flows = flow or (list(suite.FLOWS) if spoken == "en" else ["collections"])
    plan = PlanFigures(
        flows=tuple(flows), concurrency=levels, calls=calls, warm_up=warm_up, ramp=bool(ramp),
        admit_all=admit_all, far=target,
    )  # fmt: skip
    load_before = round(os.getloadavg()[0], 2)
    with tempfile.TemporaryDirectory() as voices, Progress(console=console) as bar:
        course = suite.Course(levels, calls, warm_up, bool(ramp), limits, Path(voices))
        rounds = _rounds(flows, spoken, far, levels, admit_all)
        found = suite.run(rounds, course, _progress(bar, plan))
    document = _document(plan, limits, found, load_before)
    show(console, document)
    if json_file is not None:
        json_file.write_text(document.model_dump_json(indent=1) + "\n", encoding="utf-8")
    if html is not None:
        write_page(html, document)
    for line in document.failures:
        console.print(line, style="yellow")
    raise typer.Exit(MISSED if document.missed else KEPT)


def _document(plan: PlanFigures, sla: Sla, found: suite.Found, load_before: float) -> Document:
    """The figures with what the SLA says to them."""
    verdicts = judge_levels(sla, tuple(found.levels))
    document = Document(
        made=datetime.now(UTC).replace(microsecond=0),
        machine=machine(),
        load_before=load_before,
        plan=plan,
        levels=tuple(found.levels),
        barge_in=None,
        sla=sla,
        verdicts=verdicts,
        barge_in_verdicts=judge_barge_in(sla, None),
        holds=holds(verdicts),
        failures=tuple(found.failures),
        missed=(),
    )
    return document.model_copy(update={"missed": missed(document)})


def _credentials(user: str, password_file: Path | None) -> Credentials | None:
    if password_file is None:
        return None
    if not user:
        raise typer.BadParameter("--password-file needs --user")
    try:
        return Credentials(user=user, password=password_file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"--password-file: {error}") from error


def _progress(bar: Progress, plan: PlanFigures) -> suite.Progress:
    """A bar for each flow and level."""
    current: list[TaskID] = []

    def level(name: str, concurrency: int) -> None:
        total = suite.calls_at(concurrency, plan.calls)
        current.append(bar.add_task(f"{name}, {concurrency} at once", total=total))

    def call(_: CallReport) -> None:
        if current:
            bar.advance(current[-1])

    return suite.Progress(call, level)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(epilog=_EXAMPLES)(main)
    try:
        app()
    except ApplianceError as error:
        typer.echo(f"bench_latency: {error}", err=True)
        sys.exit(BROKEN)
