"""The PBX is asked, by a real kamailio; nobody's registration changes by it."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.checkup.exchange import Peer, Question, ask, peer_of
from appliance.checkup.finding import Status
from appliance.checkup.pbx import check_reachable, check_registration
from appliance.errors import ConfigError, PeerError
from appliance.testing.caller import ScriptedCaller
from appliance.testing.digest import Credentials
from appliance.testing.leg import PeerOptions
from tests.checkup.pbx import BOX, OTHER, SECRETS, Pbx

HERE = "127.0.0.1"


@pytest.fixture(scope="module")
def pbx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pbx]:
    with Pbx(tmp_path_factory.mktemp("pbx"), tls=True) as running:
        yield running


def account(user: str = BOX, password: str = SECRETS[BOX]) -> Credentials:
    return Credentials(user=user, password=password)


def registration(pbx: Pbx, who: Credentials, ours: tuple[str, ...] = ()) -> tuple[Status, str, str]:
    (found,) = asyncio.run(check_registration(peer_of(pbx.server), who, HERE, ours))
    return found.status, found.seen, found.remedy


@pytest.mark.parametrize("transport", ["udp", "tcp", "tls"])
def test_it_answers_by_every_transport(pbx: Pbx, transport: str) -> None:
    port = pbx.tls_port if transport == "tls" else pbx.port
    peer = peer_of(f"sip:{HERE}:{port};transport={transport}")
    assert peer.transport == transport
    (found,) = asyncio.run(check_reachable(peer, HERE))
    assert (found.status, "200" in found.seen) == (Status.OK, True)
    (found,) = asyncio.run(check_registration(peer, account(), HERE, ()))
    assert found.status is Status.OK


def test_a_peer_that_never_ends_its_answer_is_told_as_any_other() -> None:
    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SIP/2.0 200 OK\r\n" + b"X-More: " + b"x" * 70_000)
        with contextlib.suppress(OSError):
            await writer.drain()
        writer.close()

    async def scenario() -> None:
        server = await asyncio.start_server(flood, HERE)
        port = server.sockets[0].getsockname()[1]
        (found,) = await check_reachable(peer_of(f"sip:{HERE}:{port};transport=tcp"), HERE)
        server.close()
        assert (found.status, "no usable answer" in found.seen) == (Status.FAIL, True)

    asyncio.run(scenario())


def test_a_certificate_of_another_authority_is_refused(pbx: Pbx, tmp_path: Path) -> None:
    other = pbx.make_certificate(tmp_path, "other")
    for authority, good in ((pbx.certificate, True), (other, False)):
        peer = peer_of(f"sips:{HERE}:{pbx.tls_port}", authority)
        (found,) = asyncio.run(check_reachable(peer, HERE))
        assert (found.status is Status.OK) == good, found
    assert "TLS" in found.seen


def test_password_is_taken(pbx: Pbx) -> None:
    status, seen, _ = registration(pbx, account())
    assert (status, "extension 200" in seen) == (Status.OK, True)


def test_wrong_password_and_unknown_extension_are_told_apart(pbx: Pbx) -> None:
    status, seen, _ = registration(pbx, account(password="wrong"))
    assert (status, "password is wrong" in seen) == (Status.FAIL, True)
    status, seen, _ = registration(pbx, account("999"))
    assert (status, "does not know this extension" in seen) == (Status.FAIL, True)
    assert "hunter2" not in "".join(registration(pbx, account(password="hunter2")))


def test_who_is_registered_is_told_and_stays(pbx: Pbx) -> None:
    async def scenario() -> str:
        options = PeerOptions(credentials=account())
        async with ScriptedCaller(
            f"sip:{BOX}@{HERE}:{pbx.port}", number=BOX, options=options
        ) as box:
            await box.register()
            return box.uri.partition("@")[2]

    place = asyncio.run(scenario())
    for _ in range(2):  # asking changes nothing
        status, seen, _ = registration(pbx, account(), (place,))
        assert (status, "this box is registered" in seen) == (Status.OK, True)
    status, seen, _ = registration(pbx, account(), (f"{HERE}:1",))
    assert (status, f"who is: sip:{BOX}@{place}" in seen) == (Status.FAIL, True)
    status, seen, _ = registration(pbx, account(OTHER, SECRETS[OTHER]), (f"{HERE}:1",))
    assert (status, "not registered" in seen, "who is" in seen) == (Status.FAIL, True, False)


def test_nobody_there_says_where(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HERE, 0))
        peer = Peer(HERE, taken.getsockname()[1], "tcp")  # bound, and nobody listens
        (found,) = asyncio.run(check_reachable(peer, HERE))
    assert (found.status, str(peer) in found.seen) == (Status.FAIL, True)
    silent = Peer(HERE, _silent_port(), "udp")
    with pytest.raises(PeerError, match="no answer"):
        asyncio.run(ask(silent, Question("OPTIONS", "me"), HERE, timeout_s=0.1))


def _silent_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((HERE, 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("server", "peer"),
    [
        ("192.0.2.1", Peer("192.0.2.1", 5060)),
        ("sip:pbx:5070", Peer("pbx", 5070)),
        ("sip:pbx;transport=TCP", Peer("pbx", 5060, "tcp")),
        ("sips:pbx", Peer("pbx", 5061, "tls")),
        ("sip:pbx:5062;transport=tls", Peer("pbx", 5062, "tls")),
    ],
)
def test_server_is_read_as_the_line_reads_it(server: str, peer: Peer) -> None:
    assert peer_of(server) == peer


@pytest.mark.parametrize("server", ["", "sip:", "sip:a b", "http://pbx", "sip:pbx:99999"])
def test_server_that_is_none(server: str) -> None:
    with pytest.raises(ConfigError, match=r"line\.registrar\.server"):
        peer_of(server)
