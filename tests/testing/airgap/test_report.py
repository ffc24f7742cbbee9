"""The verdict of the air-gap proof: each claim can fail."""

import dataclasses
import json

import pytest

from appliance.testing.airgap.packets import Traffic
from appliance.testing.airgap.report import Call, filters, judge_all, render
from appliance.testing.airgap.wire import read_counters

PROOF = Traffic({"SIP": 40, "UDP, sound": 9000, "ARP": 2}, {}, {}, {"router solicitation": 3})
LOOK_UP = "UDP 192.0.2.2 -> 198.51.100.53 port 53"
TCP4 = "TCP 192.0.2.2 -> 198.51.100.7 port 443"
TCP6 = "TCP fd5e:a17:9a9::2 -> 2001:db8::7 port 443"
CONTROL = Traffic({"ARP": 2}, {LOOK_UP: 2, TCP4: 1, TCP6: 1}, {LOOK_UP: 2})
COUNTERS = {"to_pbx": 4500, "elsewhere": 0, "look_ups": 0}
CALLS = [Call("collections", "promise", 6, 40.0), Call("booking", "booked", 9, 80.0)]
GOOD = {
    "proof": PROOF, "control": CONTROL, "counters": COUNTERS, "calls": CALLS,
    "flows": ["collections", "booking"], "seconds": 100.0,
}  # fmt: skip


def failed(**changes: object) -> list[str]:
    return [claim.what for claim in judge_all(**{**GOOD, **changes}) if not claim.holds]


def test_all_holds() -> None:
    assert failed() == []


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"calls": CALLS[:1]}, "every flow"),
        ({"calls": [CALLS[0], Call("booking", "interrupted", 9, 80.0)]}, "every flow"),
        ({"calls": [CALLS[0], Call("booking", "error", 9, 80.0)]}, "every flow"),
        ({"calls": [CALLS[0], Call("booking", "booked", 1, 8.0)]}, "every flow"),
        ({"proof": Traffic({"ARP": 2}, {}, {})}, "SIP and sound"),
        ({"proof": dataclasses.replace(PROOF, outside={"EtherType 0x86dd": 1})}, "not one packet"),
        ({"proof": dataclasses.replace(PROOF, look_ups={LOOK_UP: 1})}, "look-up of a name"),
        ({"counters": {**COUNTERS, "elsewhere": 1}}, "own packet counters"),
        ({"counters": {**COUNTERS, "look_ups": 1}}, "own packet counters"),
        ({"counters": {**COUNTERS, "to_pbx": 0}}, "own packet counters"),
        ({"control": Traffic({}, {}, {})}, "on purpose"),
        ({"control": Traffic({}, {LOOK_UP: 2}, {LOOK_UP: 2})}, "on purpose"),
        ({"control": Traffic({}, {LOOK_UP: 2, TCP4: 1}, {LOOK_UP: 2})}, "on purpose"),
        ({"control": Traffic({}, {LOOK_UP: 2, TCP6: 1}, {LOOK_UP: 2})}, "on purpose"),
        ({"control": Traffic({}, {TCP4: 1, TCP6: 1}, {})}, "on purpose"),
        ({"seconds": 181.0}, "within 180 s"),
    ],
)
def test_what_is_missing_is_told(changes: dict[str, object], part: str) -> None:
    (what,) = failed(**changes)
    assert part in what


def test_the_report_says_so_first() -> None:
    claims = judge_all(**{**GOOD, "seconds": 500.0})
    facts = {"made": "2026-01-01", "bundle": "b.tar", "sha256": "0" * 64, "filters": "active"}
    text = render(claims, facts, CALLS, "udp UNCONN 127.0.0.1:5060\n")
    assert "VERDICT: NOT PROVEN" in text
    assert "[NO ] first call answered" in text
    assert "promise" in text
    assert "127.0.0.1:5060" in text
    assert "router solicitation 3" in text
    assert "Address filters of systemd's units: active." in text


@pytest.mark.parametrize(
    ("outside", "counted", "told"),
    [
        ({TCP4: 1}, 1, "active"),
        ({"TCP 192.0.2.2 -> 198.51.100.8 port 443": 1}, 1, "not active"),
        ({TCP4: 1}, 0, "unknown"),
    ],
)
def test_whether_units_were_kept_in_is_told(
    outside: dict[str, int], counted: int, told: str
) -> None:
    assert filters(Traffic({}, outside, {}), {"filtered": counted}).startswith(told)


def test_counters_are_read_as_nft_writes_them() -> None:
    listed = [{"metainfo": {}}, {"counter": {"name": "to_pbx", "packets": 7, "bytes": 900}}]
    assert read_counters(json.dumps({"nftables": listed})) == {"to_pbx": 7}
