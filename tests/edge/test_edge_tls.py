"""TLS and SRTP between a PBX (baresip) and the edge; the lines know of neither."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from appliance.config import Config
from appliance.edge.certificate import make_certificate
from appliance.telephony.call import LineCall, LineEvent
from appliance.telephony.messages import Audio, CallDown, CallUp

from .box import box_config, free_ports, running_edge
from .phone import ADDRESS, PORTS, TONE_HZ, Phone, loudest_hz

Play = Callable[[Callable[[], Awaitable[None]]], None]
SECURE = {"transport": "tls", "srtp": "require"}


def secured(
    folder: Path, edge: Mapping[str, Any], encryption: str, tls: Mapping[str, Any] | None = None
) -> tuple[Config, Phone]:
    """A box and its PBX, which has a certificate of its own."""
    transport = edge.get("transport", "udp")
    port = free_ports(PORTS)
    phone = Phone(
        folder / "phone", port, transport, encryption, folder / "edge.crt", folder / "phone.pem"
    )
    own = {"certificate": "edge.crt", "key": "edge.key"}
    peers = {"peers": [f"{ADDRESS}/32"], "pbx": phone.listens}
    config = box_config(folder, {**edge, **peers, "tls": {**own, **(tls or {})}}, processes=1)
    make_certificate(config.edge)
    theirs = {"certificate": folder / "phone.crt", "key": folder / "phone.key"}
    box_of_phone = config.edge.model_copy(
        update={"address": ADDRESS, "tls": config.edge.tls.model_copy(update=theirs)}
    )
    make_certificate(box_of_phone)
    phone.own.write_text("".join(path.read_text() for path in theirs.values()))
    return config, phone


def echo_for_two_seconds() -> Callable[[LineCall, LineEvent], None]:
    ticks = 0

    def behave(call: LineCall, event: LineEvent) -> None:
        nonlocal ticks
        if isinstance(event, Audio):
            call.play(event.pcm)
            ticks += 1
            if ticks == 100:
                call.hang_up()

    return behave


@pytest.mark.parametrize(
    ("edge", "encryption", "profile", "encrypted"),
    [
        (SECURE, "srtp-mand", "RTP/SAVP", True),
        pytest.param({"srtp": "offer"}, "srtp-mand", "RTP/SAVP", True, marks=pytest.mark.slow),
        pytest.param({"srtp": "offer"}, "srtp", "RTP/AVP", True, marks=pytest.mark.slow),
        pytest.param({"srtp": "offer"}, "", "RTP/AVP", False, marks=pytest.mark.slow),
        pytest.param({"srtp": "off"}, "srtp", "RTP/AVP", False, marks=pytest.mark.slow),
        pytest.param({"transport": "tcp"}, "", "RTP/AVP", False, marks=pytest.mark.slow),
    ],
)
def test_a_call_from_the_pbx(
    rig: Any,
    play: Play,
    tmp_path: Path,
    edge: Mapping[str, Any],
    encryption: str,
    profile: str,
    encrypted: bool,
) -> None:
    config, phone = secured(tmp_path, edge, encryption)

    async def scenario() -> None:
        async with (
            running_edge(config, tmp_path) as box,
            rig.agent(config.line, echo_for_two_seconds()) as agent,
            phone.running(f"d {box.uri}"),
        ):
            await agent.until_event(CallUp)
            assert (await agent.until_event(CallDown)).by == "agent"
            async with asyncio.timeout(5):
                while "BYE sip:" not in phone.log:  # the line's, by the PBX's own connection
                    await asyncio.sleep(0.05)
            heard_here = bytes(agent.audio[agent.calls[0].key])
        assert abs(loudest_hz(heard_here) - TONE_HZ) < 5

    play(scenario)
    assert abs(phone.heard_hz() - TONE_HZ) < 5
    answer = phone.log.partition("SIP/2.0 200 OK")[2]
    assert f" {profile} " in answer
    assert ("a=crypto:" in answer) == encrypted
    assert ("SRTP is Enabled" in phone.log) == encrypted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edge", "encryption", "why"),
    [(SECURE, "", "488 SRTP Required"), ({}, "srtp-mand", "488 No SRTP Here")],
)
def test_a_call_of_the_other_kind_is_refused(
    rig: Any, play: Play, tmp_path: Path, edge: Mapping[str, Any], encryption: str, why: str
) -> None:
    config, phone = secured(tmp_path, edge, encryption)

    async def scenario() -> None:
        async with (
            running_edge(config, tmp_path) as box,
            rig.agent(config.line) as agent,
            phone.running(f"d {box.uri}"),
        ):
            async with asyncio.timeout(10):
                while why not in phone.log:
                    await asyncio.sleep(0.05)
            assert not agent.calls

    play(scenario)


@pytest.mark.slow
@pytest.mark.parametrize(("known", "up"), [("phone.crt", True), ("edge.crt", False)])
def test_a_call_of_ours_by_tls_to_a_pbx_whose_certificate_is_checked(
    rig: Any, play: Play, tmp_path: Path, known: str, up: bool
) -> None:
    config, phone = secured(tmp_path, SECURE, "srtp-mand", {"ca_file": known})

    async def scenario() -> None:
        async with (
            running_edge(config, tmp_path),
            rig.agent(config.line) as agent,
            phone.running(),
        ):
            call = agent.switch.dial(f"sip:pbx@{phone.listens}")
            heard = bytearray()
            was_up = False
            async for event in call.inbox():
                was_up |= isinstance(event, CallUp)
                if isinstance(event, Audio):
                    heard += event.pcm
                    if len(heard) == 100 * len(event.pcm):
                        call.hang_up()
            assert was_up == up
            if up:
                assert abs(loudest_hz(bytes(heard)) - TONE_HZ) < 5

    play(scenario)
