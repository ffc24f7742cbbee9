"""The report of the air-gap proof: what the box was, what it did, and what was on the wire.

    proof.pcapng, counters.json ─┐
    calls' records, sockets.txt ─┼─> judge ─> report.txt, report.json, exit code
    control.pcapng (on purpose) ─┘

`proof` made these files. Nothing here is taken on trust: a capture
without calls proves nothing, nor does one that would not have seen a look-up.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from appliance.checksums import digest
from appliance.store.records import INTERRUPTED, RECORD_SUFFIX
from appliance.testing.airgap.packets import Traffic, judge, read_capture
from appliance.testing.airgap.wire import CONNECTIONS, FILTERED, read_counters

FIRST_CALL_LIMIT_S = 180.0
"""From the unpacked bundle to the first answered call."""

_BROKEN = frozenset({INTERRUPTED, "error"})
"""Outcomes of a call that something failed in: `error` is how the status flow says so."""

_FEWEST_TURNS = 2
"""A call that came so far was heard, understood and answered."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a proof left to be judged.

    Attributes:
        folder: captures, counters, `sockets.txt`; the report goes there.
        calls: the box's folder of recorded calls.
        bundle: the archive that was installed.
        flows: that were to take a call.
        seconds: from the unpacked bundle to the first answered call.
    """

    folder: Path
    calls: Path
    bundle: Path
    flows: list[str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the box recorded it."""

    flow: str
    outcome: str
    turns: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the report, and whether it holds."""

    what: str
    holds: bool
    seen: str


def read_calls(folder: Path) -> list[Call]:
    """The calls that a box recorded, in the order of their beginning."""
    records = sorted(
        (json.loads(path.read_text("utf-8")) for path in folder.glob(f"*/*{RECORD_SUFFIX}")),
        key=lambda record: str(record.get("started", "")),
    )
    return [
        Call(each["flow"], each["outcome"], each["turns"], each["duration_ms"] / 1000)
        for each in records
    ]


def judge_all(
    proof: Traffic,
    control: Traffic,
    counters: dict[str, int],
    calls: list[Call],
    flows: list[str],
    seconds: float,
) -> list[Claim]:
    """Every claim that the proof makes."""
    served = {each.flow for each in calls if _is_served(each)}
    missing = [flow for flow in flows if flow not in served]
    outside = [f"{count} × {what}" for what, count in proof.outside.items()]
    look_ups = [f"{count} × {what}" for what, count in proof.look_ups.items()]
    unseen = [each for each in CONNECTIONS if not any(each in told for told in control.outside)]
    return [
        Claim(
            "calls with every flow were answered and held",
            not missing,
            f"{len(calls)} calls; without one: {', '.join(missing) or 'no flow'}",
        ),
        Claim(
            "SIP and sound crossed the wire to the PBX",
            proof.allowed.get("SIP", 0) > 0 and proof.allowed.get("UDP, sound", 0) > 0,
            ", ".join(f"{what} {count}" for what, count in sorted(proof.allowed.items())),
        ),
        Claim(
            "not one packet but between box and PBX (capture)",
            not outside,
            f"{proof.frames} frames: {'; '.join(outside) or 'none elsewhere'}; {_told_ipv6(proof)}",
        ),
        Claim(
            "not one look-up of a name (capture)", not look_ups, "; ".join(look_ups) or "none seen"
        ),
        Claim(
            "the box's own packet counters say the same",
            counters["elsewhere"] == 0 and counters["look_ups"] == 0 and counters["to_pbx"] > 0,
            ", ".join(f"{name} {count}" for name, count in sorted(counters.items())),
        ),
        Claim(
            "a look-up and connections made on purpose, by IPv4 and IPv6, were seen",
            bool(control.look_ups) and not unseen,
            "; ".join({**control.outside, **control.look_ups}) or "nothing seen",
        ),
        Claim(
            f"first call answered within {FIRST_CALL_LIMIT_S:.0f} s of the bundle",
            seconds <= FIRST_CALL_LIMIT_S,
            f"{seconds:.0f} s",
        ),
    ]


def _told_ipv6(traffic: Traffic) -> str:
    """What the two kernels said by themselves by IPv6: it carries nothing of the software's."""
    kinds = ", ".join(f"{what} {count}" for what, count in sorted(traffic.kernels_own.items()))
    return f"of them the kernels' own by IPv6: {kinds or 'none'}"


def filters(control: Traffic, counters: dict[str, int]) -> str:
    """Whether systemd kept a unit from an address that its filter forbids, in this box."""
    if any(FILTERED in told for told in control.outside):
        return "not active on this machine: a unit that may reach nobody reached the wire"
    if counters["filtered"]:
        return "active: what a unit that may reach nobody sent was counted, and kept off the wire"
    return "unknown: a unit that may reach nobody could not be started to try"


def _is_served(call: Call) -> bool:
    return call.turns >= _FEWEST_TURNS and call.outcome not in _BROKEN


def render(claims: list[Claim], facts: dict[str, Any], calls: list[Call], sockets: str) -> str:
    """The report as text."""
    proven = all(claim.holds for claim in claims)
    lines = [
        "AIR-GAP PROOF OF A VOICE APPLIANCE",
        f"{facts['made']}, of the bundle {facts['bundle']}",
        f"SHA-256 {facts['sha256']}",
        "",
        f"VERDICT: {'PROVEN' if proven else 'NOT PROVEN'}",
        "",
    ]
    for claim in claims:
        lines.append(f"[{'yes' if claim.holds else 'NO '}] {claim.what}")
        lines.append(f"      {claim.seen}")
    lines += ["", "Calls, by the box's own records:"]
    lines += [
        f"  {each.flow:<12} {each.outcome:<20} {each.turns:>3} turns {each.duration_s:>6.1f} s"
        for each in calls
    ]
    lines += ["", f"Address filters of systemd's units: {facts['filters']}."]
    lines += ["", "What listened or was connected in the box at the end (ss -tulpn):"]
    lines += [f"  {line.rstrip()}" for line in sockets.splitlines()] or ["  nothing"]
    lines += [
        "",
        "How: a bare Debian root, booted in a network namespace whose one link led to a PBX in",
        "another one. It had default routes, by IPv4 and IPv6, and a name server beyond that PBX,",
        "so that whatever left for elsewhere had to cross the wire that was captured from before",
        "the boot to after the last call. The counters are nftables' in the box's namespace: they",
        "come before the address filters of systemd's units, and count also what those stopped. Of",
        "IPv6 only what a kernel says by itself on its link is no finding (finding neighbours,",
        "asking for routers, telling its groups). What this does not show: other hardware, other",
        "kernels, and what the PBX does with its calls.",
    ]
    return "\n".join(lines) + "\n"


def write_report(run: Run, box: IPv4Address, pbx: IPv4Address) -> bool:
    """Judge what a proof left, write and print the report; says whether all of it is proven.

    Raises:
        ConfigError: tshark is missing or cannot read a capture.
    """
    folder = run.folder
    proof, control = (
        judge(read_capture(folder / f"{name}.pcapng"), box, pbx) for name in ("proof", "control")
    )
    counters, after = (
        read_counters((folder / f"{name}.json").read_text("utf-8"))
        for name in ("counters", "control_counters")
    )
    calls = read_calls(run.calls)
    claims = judge_all(proof, control, counters, calls, run.flows, run.seconds)
    proven = all(claim.holds for claim in claims)
    facts = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "bundle": run.bundle.name,
        "sha256": digest(run.bundle),
        "filters": filters(control, after),
    }
    told = {
        **facts,
        "proven": proven,
        "claims": [asdict(claim) for claim in claims],
        "calls": [asdict(call) for call in calls],
        "traffic": asdict(proof),
        "control": asdict(control),
        "counters": counters,
    }
    text = render(claims, facts, calls, (folder / "sockets.txt").read_text("utf-8"))
    (folder / "report.txt").write_text(text, "utf-8")
    (folder / "report.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    print(text)  # noqa: T201
    return proven
