"""The report of the air-gap proof: what the box was, what it did, and what was on the wire.

    proof.pcapng, counters.json ─┐
    calls' records, sockets.txt ─┼─> judge ─> report.txt, report.json, exit code
    control.pcapng (on purpose) ─┘

Run by scripts/prove_airgap.sh, which made these files. Nothing here is taken on trust: a capture
without calls proves nothing, nor does one that would not have seen a look-up.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from appliance.store.records import INTERRUPTED, RECORD_SUFFIX
from appliance.testing.airgap.packets import Traffic, judge, read_capture

FIRST_CALL_LIMIT_S = 180.0
"""From the unpacked bundle to the first answered call."""

_FEWEST_TURNS = 2
"""A call that came so far was heard, understood and answered."""


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


def read_counters(path: Path) -> dict[str, int]:
    """Packets by counter, from `nft -j list counters`."""
    listed = json.loads(path.read_text("utf-8"))["nftables"]
    counters = [each["counter"] for each in listed if "counter" in each]
    return {each["name"]: each["packets"] for each in counters}


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
            "; ".join(outside) or f"{proof.frames} frames, none elsewhere",
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
            "a look-up and a connection made on purpose were seen",
            bool(control.look_ups) and len(control.outside) > len(control.look_ups),
            "; ".join({**control.outside, **control.look_ups}) or "nothing seen",
        ),
        Claim(
            f"first call answered within {FIRST_CALL_LIMIT_S:.0f} s of the bundle",
            seconds <= FIRST_CALL_LIMIT_S,
            f"{seconds:.0f} s",
        ),
    ]


def _is_served(call: Call) -> bool:
    return call.turns >= _FEWEST_TURNS and call.outcome != INTERRUPTED


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
    lines += ["", "What listened or was connected in the box at the end (ss -tulpn):"]
    lines += [f"  {line.rstrip()}" for line in sockets.splitlines()] or ["  nothing"]
    lines += [
        "",
        "How: a bare Debian root, booted in a network namespace whose one link led to a PBX in",
        "another one. It had a default route and a name server beyond that PBX, so that whatever",
        "left for elsewhere had to cross the wire that was captured from before the boot to after",
        "the last call. IPv6 was off. The counters are nftables' in the box's namespace. What this",
        "does not show: other hardware, other kernels, and what the PBX does with its calls.",
    ]
    return "\n".join(lines) + "\n"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    """Judge a folder of findings, write the report, and exit 0 if all of it is proven."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--box", type=IPv4Address, required=True)
    parser.add_argument("--pbx", type=IPv4Address, required=True)
    parser.add_argument("--flows", required=True, help="that were to take a call")
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="to the first answered call")
    given = parser.parse_args()
    folder: Path = given.folder
    proof, control = (
        judge(read_capture(folder / f"{name}.pcapng"), given.box, given.pbx)
        for name in ("proof", "control")
    )
    counters = read_counters(folder / "counters.json")
    calls = read_calls(folder / "root/var/lib/appliance/calls")
    claims = judge_all(proof, control, counters, calls, given.flows.split(), given.seconds)
    facts = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "bundle": given.bundle.name,
        "sha256": _digest(given.bundle),
    }
    told = {
        **facts,
        "proven": all(claim.holds for claim in claims),
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
    sys.exit(0 if told["proven"] else 1)


if __name__ == "__main__":
    main()
