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
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

import appliance.cli.single_thread  # noqa: F401 (before numpy)
from appliance.config import HearingConfig
from appliance.testing.digest import Credentials
from appliance.testing.latency import suite
from appliance.testing.latency.barging import FLOW, measure_barge_in
from appliance.testing.latency.document import BargeInFigures, Document, PlanFigures, conclude
from appliance.testing.latency.jobs import Far
from appliance.testing.latency.observed import CallReport
from appliance.testing.latency.page import write_page
from appliance.testing.latency.sitting import CALLS_A_LINE, Box, Sitting, open_box
from appliance.testing.latency.sla import Sla, load_sla
from appliance.testing.latency.tables import show
from appliance.testing.sip import parse_uri
from appliance.testing.verdicts import BROKEN, KEPT, MISSED, run_command
from appliance.types import Language

_FILE_WIDTH = 130
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
    plan: PlanFigures, language: Language, far: Box | None, voices: Path
) -> list[suite.Round]:
    """A box for each flow, or the one that is there."""
    extra: dict[str, dict[str, Any]] = {
        "call": {"language": language},
        "hearing": {"sla_ms": HearingConfig().sla_ms},
        "line": {"admit": "all" if plan.admit_all else "measured"},
    }

    @contextlib.contextmanager
    def sit(flow: str, scripts: tuple[Path, ...], first: int) -> Iterator[Sitting]:
        most = max(plan.concurrency)
        with _there(far) if far else open_box(flow, most, extra, _silent) as box:
            yield Sitting(box, scripts, voices, first)

    return [
        suite.Round(flow, partial(sit, flow, suite.scripts_of(flow, language)))
        for flow in plan.flows
    ]


def _silent(_: str) -> None:
    """A box that starts says nothing here."""


def main(
    flow: Annotated[
        list[str] | None, typer.Option(help="Repeatable; default: all five, one after another")
    ] = None,
    calls: Annotated[int, typer.Option(min=0, help="Of each flow at each level, at least")] = 8,
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
    barge_in: Annotated[
        int, typer.Option(min=0, help="Trials of barge-in and of what must not stop a prompt")
    ] = 0,
    target: Annotated[str | None, typer.Option(help="SIP URI of what is there")] = None,
    calls_folder: Annotated[
        Path | None, typer.Option(help="Its [record] folder, if it is on this machine")
    ] = None,
    user: Annotated[str, typer.Option(help="Account at the PBX to call as")] = "",
    password_file: Annotated[Path | None, typer.Option(help="Its password")] = None,
    register: Annotated[bool, typer.Option(help="Register with the PBX first")] = False,
) -> None:
    """Measure the latency of real calls, and hold it against an SLA."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _FILE_WIDTH)
    if language not in ("en", "es") or (ramp and concurrency):
        raise typer.BadParameter("--language is en or es; --ramp goes without --concurrency")
    far = _far(target, flow, calls_folder, _credentials(user, password_file), register)
    if far is None and (user or register or calls_folder):
        raise typer.BadParameter("--user, --register and --calls-folder are of a --target")
    if not (calls or barge_in):
        raise typer.BadParameter("--calls 0 leaves nothing to do without --barge-in")
    if barge_in and far is not None and far.far.credentials is not None:
        raise typer.BadParameter("--barge-in cannot log in at a PBX")
    limits = load_sla(sla) if sla is not None else Sla()
    plan = PlanFigures(
        flows=tuple(flow or (suite.FLOWS if language == "en" else ["collections"])),
        concurrency=suite.ramp_levels(ramp) if ramp else tuple(sorted(set(concurrency or [1]))),
        calls=calls, warm_up=warm_up, ramp=bool(ramp), admit_all=admit_all, far=target,
    )  # fmt: skip
    document = _measure(console, plan, limits, far, (language, barge_in))
    show(console, document)
    if json_file is not None:
        json_file.write_text(document.model_dump_json(indent=1) + "\n", encoding="utf-8")
    if html is not None:
        write_page(html, document)
    for line in document.failures:
        console.print(line, style="yellow")
    raise typer.Exit(MISSED if document.missed else KEPT)


def _measure(
    console: Console, plan: PlanFigures, sla: Sla, far: Box | None, what: tuple[str, int]
) -> Document:
    """Everything that is to be measured; `what`: language of the calls, trials of barge-in."""
    language: Language = "en" if what[0] == "en" else "es"
    trials, load_before = what[1], round(os.getloadavg()[0], 2)
    barged: BargeInFigures | None = None
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as voices, Progress(console=console) as bar:
        course = suite.Course(plan.concurrency, plan.calls, plan.warm_up, plan.ramp, sla)
        rounds = _rounds(plan, language, far, Path(voices))
        found = suite.run(rounds, course, _progress(bar, plan)) if plan.calls else suite.Found()
        if trials:
            task = bar.add_task("barge-in", total=trials)
            with _there(far) if far else open_box(FLOW, CALLS_A_LINE, {}, _silent) as box:
                barged, failed = measure_barge_in(
                    box, trials, Path(voices), lambda: bar.advance(task)
                )
    found.failures += failed
    return conclude(plan, sla, found, barged, load_before)


def _far(
    target: str | None,
    flow: list[str] | None,
    calls_folder: Path | None,
    credentials: Credentials | None,
    register: bool,
) -> Box | None:
    """What runs already, if it is that which is to be called."""
    if target is None:
        return None
    if not flow or len(flow) > 1:
        raise typer.BadParameter("--target needs one --flow: which of them answers there")
    try:
        address = _local_address(target)
    except (ValueError, OSError) as error:
        raise typer.BadParameter(f"--target: {error}") from error
    return Box(
        Far(
            targets=(target,), address=address, credentials=credentials, register_first=register,
            as_user=credentials.user if credentials else "",
        ),
        calls_folder,
    )  # fmt: skip


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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(BROKEN))  # the box it started must not stay
    run_command(main, _EXAMPLES)
