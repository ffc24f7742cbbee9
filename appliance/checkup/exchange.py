"""One SIP request to a PBX and its answer, over UDP, TCP or TLS, with a password where asked.

    Peer(uri) ── ask ──> transport ──> answer        401/407 ─> Digest ─> asked once more

For questions outside a call only: OPTIONS, and a REGISTER that changes nothing. It never sends a
Contact, so no binding at the PBX is made, replaced or removed (RFC 3261, section 10.2): the box
that is registered there stays what it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from appliance.errors import ConfigError, PeerError
from appliance.testing.digest import Credentials, answer_challenge
from appliance.testing.endpoint import SipEndpoint
from appliance.testing.sip import (
    Headers,
    SipRequest,
    SipResponse,
    parse_message,
    parse_uri,
    serialize_message,
)

Transport = Literal["udp", "tcp", "tls"]
ANSWER_S = 6.0
_TRANSPORTS: dict[str, Transport] = {"udp": "udp", "tcp": "tcp", "tls": "tls"}
_TLS_PORT = 5061
_END_OF_HEAD = b"\r\n\r\n"
_MOST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Peer:
    """Whom to ask. `ca_file`: what its certificate must be signed by; None: it is not checked."""

    host: str
    port: int
    transport: Transport = "udp"
    ca_file: Path | None = None

    def __str__(self) -> str:
        """As an operator would say it."""
        return f"{self.host}:{self.port} ({self.transport.upper()})"

    @property
    def uri(self) -> str:
        """Its SIP URI, without a user."""
        return f"sip:{self.host}:{self.port}{self._parameter}"

    @property
    def _parameter(self) -> str:
        return "" if self.transport == "udp" else f";transport={self.transport}"


@dataclass(frozen=True, slots=True)
class Question:
    """A request: `user` is who asks (and, for REGISTER, about whom)."""

    method: Literal["OPTIONS", "REGISTER"]
    user: str
    credentials: Credentials | None = None
    headers: Headers = ()
    call_id: str = field(default_factory=lambda: secrets.token_hex(12))
    tag: str = field(default_factory=lambda: secrets.token_hex(6))


def peer_of(server: str, ca_file: Path | None = None) -> Peer:
    """The PBX that a `server` of the configuration names: a SIP URI, or a bare host.

    Raises:
        ConfigError: it is no SIP URI.
    """
    text = server if re.match(r"sips?:", server) else f"sip:{server}"
    named = re.search(r";transport=(udp|tcp|tls)", text, re.IGNORECASE)
    said = named[1].lower() if named else "tls" if text.startswith("sips:") else "udp"
    transport = _TRANSPORTS[said]
    try:
        uri = parse_uri(text)
    except ValueError as error:
        raise ConfigError(f"line.registrar.server: {error}") from error
    has_port = re.search(r":\d+(?:;|$)", text) is not None
    port = uri.port if has_port or transport != "tls" else _TLS_PORT
    return Peer(uri.host, port, transport, ca_file)


async def ask(
    peer: Peer, question: Question, address: str, timeout_s: float = ANSWER_S
) -> SipResponse:
    """Ask, and answer one challenge for a password.

    Args:
        peer: who is asked.
        question: what.
        address: address of this machine to ask from.
        timeout_s: how long to wait for each answer.

    Raises:
        PeerError: there was no answer, or none that can be read; the text says what happened.
    """
    async with asyncio.timeout(2 * timeout_s + 1):
        send = _by_udp if peer.transport == "udp" else _by_stream
        request = _request(peer, question, 1)
        response = await send(peer, request, address, timeout_s)
        if response.code not in (401, 407) or question.credentials is None:
            return response
        try:
            proof = answer_challenge(request, response, question.credentials)
        except ValueError as error:
            raise PeerError(
                f"{peer}: its question for a password cannot be answered: {error}"
            ) from error
        return await send(peer, _request(peer, question, 2, (proof,)), address, timeout_s)


def local_address(host: str) -> str:
    """The address of this machine from which a host is reached; nothing is sent.

    Raises:
        PeerError: there is no route, or the name has no address.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((host, 9))
            return str(probe.getsockname()[0])
    except OSError as error:
        raise PeerError(f"{host}: {error.strerror or error}") from error


def _request(peer: Peer, question: Question, number: int, more: Headers = ()) -> SipRequest:
    """The request without its Via, which the transport knows."""
    owner = f"sip:{question.user}@{peer.host}" if question.user else f"sip:{peer.host}"
    headers = (
        ("Max-Forwards", "70"),
        ("From", f"<{owner}>;tag={question.tag}"),
        ("To", f"<{owner}>" if question.method == "REGISTER" else f"<sip:{peer.host}>"),
        ("Call-ID", question.call_id),
        ("CSeq", f"{number} {question.method}"),
        ("User-Agent", "appliance-doctor"),
        *question.headers,
        *more,
    )
    return SipRequest(question.method, peer.uri, headers)


def _with_via(request: SipRequest, via: str) -> SipRequest:
    return SipRequest(request.method, request.uri, (("Via", via), *request.headers))


async def _by_udp(peer: Peer, request: SipRequest, address: str, timeout_s: float) -> SipResponse:
    endpoint = SipEndpoint(lambda *_: None)
    try:
        await endpoint.open(address)
        sent = _with_via(request, endpoint.new_via())
        return await endpoint.request(sent, (peer.host, peer.port), timeout_s)
    except OSError as error:
        raise PeerError(f"{peer} from {address}: {error.strerror or error}") from error
    finally:
        await endpoint.close()


async def _by_stream(
    peer: Peer, request: SipRequest, address: str, timeout_s: float
) -> SipResponse:
    """Over a connection of its own, which is closed behind the answer."""
    secured = _tls(peer.ca_file) if peer.transport == "tls" else None
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_connection(
                peer.host, peer.port, ssl=secured, local_addr=(address, 0)
            )
    except TimeoutError as error:
        raise PeerError(f"{peer}: no connection within {timeout_s:g} s") from error
    except ssl.SSLError as error:
        raise PeerError(f"{peer}: TLS: {error.reason or error}") from error
    except OSError as error:
        raise PeerError(f"{peer}: {error.strerror or error}") from error
    try:
        host, port = writer.get_extra_info("sockname")[:2]
        branch = f"z9hG4bK{secrets.token_hex(8)}"
        via = f"SIP/2.0/{peer.transport.upper()} {host}:{port};branch={branch};rport"
        writer.write(serialize_message(_with_via(request, via)))
        async with asyncio.timeout(timeout_s):
            return await _final_answer(reader, branch)
    except TimeoutError as error:
        raise PeerError(f"{request.method} to {peer}: no answer within {timeout_s:g} s") from error
    except (
        OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError
    ) as error:  # fmt: skip
        raise PeerError(f"{request.method} to {peer}: no usable answer: {error}") from error
    finally:
        writer.transport.abort()  # a TLS peer may take its time to say goodbye
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _final_answer(reader: asyncio.StreamReader, branch: str) -> SipResponse:
    """The final answer to our request; what else comes is read over.

    Raises:
        ValueError: what came is no SIP message.
    """
    while True:
        head = (await reader.readuntil(_END_OF_HEAD)).lstrip(b"\r\n")
        stated = re.search(rb"(?im)^(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*\r?$", head)
        length = int(stated[1]) if stated else 0
        if length > _MOST_BYTES:
            raise ValueError(f"a body of {length} bytes")
        message = parse_message(head + await reader.readexactly(length))
        if isinstance(message, SipResponse) and message.branch == branch and message.code >= 200:
            return message


def _tls(ca_file: Path | None) -> ssl.SSLContext:
    """As the edge talks to the PBX: 1.2 and up; unverified where no authority is named."""
    try:
        context = ssl.create_default_context(cafile=str(ca_file) if ca_file else None)
    except (OSError, ssl.SSLError) as error:
        raise PeerError(f"{ca_file}: cannot be used as a certificate: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca_file is None:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
