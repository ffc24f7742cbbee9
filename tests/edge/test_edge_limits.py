"""What the edge lets in: raw packets from the PBX's address and from others."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from appliance.edge.status import read_status

from .box import EDGE, PBX, STRANGER, EdgeBox, box_config, running_edge
from .pbx import AUDIO, PLAIN, Sender

Play = Callable[[Callable[[], Awaitable[None]]], None]
FOLDED = "m=audio 40000 RTP/AVP 0\r\n m =audio 40000 RTP/AVP 0\r\n"


def test_what_is_no_call_for_a_line_gets_no_further(play: Play, tmp_path: Path) -> None:
    """No line runs: whatever is answered is answered by the edge."""

    def refused(pbx: Sender, local_port: int, line_port: int) -> dict[str, int]:
        ask = pbx.ask
        local = f"<sip:127.0.0.1:{local_port};lr;r2=on>"
        edge = "<sip:{}:{};lr;r2=on>".format(*pbx._target)
        within = [f"Route: {edge}", f"Route: {local}"]
        return {
            "options": ask(pbx.request("OPTIONS")),
            "register": ask(pbx.request("REGISTER")),
            "16 audio": ask(pbx.request("INVITE", PLAIN + AUDIO * 16)),
            "3 audio": ask(pbx.request("INVITE", PLAIN + AUDIO * 3)),
            "5 media": ask(pbx.request("INVITE", PLAIN + AUDIO + "m=video 9 RTP/AVP 99\r\n" * 4)),
            "odd sdp": ask(pbx.request("INVITE", PLAIN + FOLDED)),
            "zero byte": ask(pbx.request("INVITE", PLAIN + AUDIO + "\0\r\n" + AUDIO * 16)),
            "0x500a": ask(pbx.request("INVITE", PLAIN + "a=P\n" + AUDIO)),
            "multipart": ask(pbx.request("INVITE", "x", kind="multipart/mixed;boundary=y")),
            "srtp only": ask(pbx.request("INVITE", PLAIN + AUDIO.replace("AVP", "SAVP"))),
            "too big": ask(pbx.request("INVITE", PLAIN + "a=x\r\n" * 800)),
            "hops": ask(pbx.request("INVITE", PLAIN, ["Max-Forwards: 0"])),
            "other cseq": ask(pbx.request("INVITE").replace(b"1 INVITE", b"1 BYE")),
            "no dialog": ask(pbx.request("BYE", to_tag="x")),
            "to rtpengine": ask(
                pbx.request("BYE", headers=within, uri="sip:x@127.0.0.1:9", to_tag="x")
            ),
            "to elsewhere": ask(
                pbx.request("BYE", headers=within, uri="sip:x@192.0.2.1", to_tag="x")
            ),
            "reinvite": ask(
                pbx.request(
                    "INVITE",
                    PLAIN + AUDIO * 3,
                    headers=within,
                    uri=f"sip:x@127.0.0.1:{line_port}",
                    to_tag="x",
                )
            ),
        }

    async def scenario() -> None:
        config = box_config(tmp_path, processes=1)
        async with running_edge(config, tmp_path):
            target = (EDGE, config.edge.port)
            with Sender(PBX, target) as pbx, Sender(STRANGER, target) as stranger:
                for method in ("OPTIONS", "INVITE", "REGISTER"):
                    stranger.send(stranger.request(method))
                codes = await asyncio.to_thread(
                    refused, pbx, config.edge.local_port, config.line.port
                )
                assert stranger.answer(0.2) == 0
            with Sender("127.0.0.1", ("127.0.0.1", config.edge.local_port)) as no_line:
                assert no_line.ask(no_line.request("REGISTER"), 0.2) == 0
        assert codes == {
            "options": 200,
            "register": 405,
            "16 audio": 488,
            "3 audio": 488,
            "5 media": 488,
            "odd sdp": 400,
            "zero byte": 400,
            "0x500a": 503,
            "multipart": 415,
            "srtp only": 488,
            "too big": 513,
            "hops": 483,
            "other cseq": 400,
            "no dialog": 481,
            "to rtpengine": 403,
            "to elsewhere": 403,
            "reinvite": 488,
        }

    play(scenario)


def broken(sender: Sender) -> Iterator[bytes]:
    """Requests that no parser takes, each with a name and a number."""
    whole = sender.request("INVITE", PLAIN + AUDIO)
    for header in (b"From", b"To", b"Contact", b"Via", b"CSeq"):
        start = whole.index(b"\r\n" + header + b": ") + len(header) + 4
        for text in (
            b'"Jane Roe <<sip:13105550177',
            b'"Jane Roe" <sip:13105550177@;tag=',
            b"Jane ",
        ):
            yield whole[:start] + text + whole[start:]
    yield whole.replace(b"sip:200@", b"sip:13105550177@@", 1)
    yield whole.replace(b"o=- 1", b"o=Jane 13105550177").replace(b"m=audio", b"m=Jane")
    yield b"Jane Roe 13105550177\r\n\r\n"


@pytest.mark.slow
def test_the_journal_has_nobody_from_a_broken_request(play: Play, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path, processes=1)
        async with running_edge(config, tmp_path) as edge:
            target = (EDGE, config.edge.port)
            with Sender(PBX, target) as pbx, Sender(STRANGER, target) as stranger:
                for sender in (pbx, stranger):
                    for packet in broken(sender):
                        sender.send(packet)
                while await asyncio.to_thread(pbx.answer, 1.5):  # until it has read them all
                    pass
                assert await asyncio.to_thread(pbx.ask, pbx.request("OPTIONS"))
            said = edge.log("kamailio") + edge.log("rtpengine")
            assert "Jane" not in said
            assert "5550177" not in said

    play(scenario)


def test_what_keeps_the_edge_from_starting_is_said(play: Play, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path, processes=1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
            holder.bind((EDGE, config.edge.port))
            edge = EdgeBox(config, tmp_path)
            with pytest.raises(pytest.fail.Exception, match="Address already in use"):
                await edge.start_sip()

    play(scenario)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["INVITE", "OPTIONS", "BYE"])
def test_requests_of_no_call_are_as_few_as_new_calls(
    play: Play, tmp_path: Path, method: str
) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path, processes=1, edge={"invites_per_s": 5})
        async with running_edge(config, tmp_path):
            target = (EDGE, config.edge.port)
            within = [
                f"Route: <sip:{EDGE}:{config.edge.port};lr;r2=on>",
                f"Route: <sip:127.0.0.1:{config.edge.local_port};lr;r2=on>",
            ]
            with Sender(PBX, target) as pbx:
                for _ in range(40):
                    pbx.send(
                        pbx.request(
                            method, headers=within, to_tag="x",
                            uri=f"sip:x@127.0.0.1:{config.line.port}",
                        )
                    )  # fmt: skip
                codes = [await asyncio.to_thread(pbx.answer, 5.0) for _ in range(40)]
            # The edge counts by the clock's seconds: the burst may fall into two of them.
            assert 30 <= codes.count(503) <= 35

    play(scenario)


@pytest.mark.slow
def test_more_calls_a_second_than_allowed_hear_503(play: Play, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = box_config(
            tmp_path, edge={"invites_per_s": 5}, line={"overflow": "sip:q@127.0.0.3"}
        )
        async with running_edge(config, tmp_path):
            with Sender(PBX, (EDGE, config.edge.port)) as pbx:
                for _ in range(40):
                    pbx.send(pbx.request("INVITE", PLAIN + AUDIO))
                codes = [await asyncio.to_thread(pbx.answer) for _ in range(40)]
            # The edge counts by the clock's seconds: the burst may fall into two of them.
            assert 30 <= codes.count(503) <= 35
            # No line runs: the others were sent to where calls go then.
            assert codes.count(302) == 40 - codes.count(503)
            state = await asyncio.to_thread(read_status, tmp_path / "rpc.sock")
            assert set(state.lines.values()) == {False}

    play(scenario)
