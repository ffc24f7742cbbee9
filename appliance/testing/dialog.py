"""A SIP dialog (RFC 3261, section 12): the tags, targets and routes that two peers agreed on.

Builds the requests and responses of one call; sends nothing.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from appliance.testing.endpoint import Destination
from appliance.testing.sip import (
    Headers,
    SipRequest,
    SipResponse,
    header_parameter,
    parse_uri,
    split_list,
)

ALLOW = "INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, REFER, NOTIFY, UPDATE"


@dataclass
class Dialog:
    """One call's identity. `local` and `remote` are From/To values; the remote's gets its tag.

    `target` is the remote's Contact, `routes` the proxies between, `cseq` our last number.
    """

    local: str
    remote: str
    target: str
    contact: str
    call_id: str = field(default_factory=lambda: secrets.token_hex(12))
    routes: tuple[str, ...] = ()
    cseq: int = 0

    @classmethod
    def for_call(cls, target: str, local_uri: str, contact: str) -> Dialog:
        """The dialog that an INVITE to `target` will open."""
        tag = secrets.token_hex(6)
        return cls(f"<{local_uri}>;tag={tag}", f"<{target}>", target, f"<{contact}>")

    @classmethod
    def for_invite(cls, invite: SipRequest, contact: str) -> Dialog:
        """The dialog that our answer to an INVITE opens.

        Raises:
            ValueError: the INVITE has no usable Contact.
        """
        return cls(
            local=f"{invite.need('To')};tag={secrets.token_hex(6)}",
            remote=invite.need("From"),
            target=_uri_of(invite.need("Contact")),
            contact=f"<{contact}>",
            call_id=invite.need("Call-ID"),
            routes=tuple(r for v in invite.get_all("Record-Route") for r in split_list(v)),
        )

    @property
    def destination(self) -> Destination:
        """Where the next request goes: the first route, or else the remote's target."""
        uri = parse_uri(self.routes[0] if self.routes else self.target)
        return uri.host, uri.port

    def request(
        self, method: str, via: str, headers: Headers = (), body: bytes = b""
    ) -> SipRequest:
        """The next request within the dialog; ACK and CANCEL have their own ways."""
        self.cseq += 1
        return self._build(method, via, self.cseq, headers, body)

    def ack(self, via: str, invite: SipRequest) -> SipRequest:
        """The ACK of a 2xx: its own branch, the INVITE's number (RFC 3261, 13.2.2.4)."""
        return self._build("ACK", via, invite.cseq[0], (), b"")

    def cancel(self, invite: SipRequest) -> SipRequest:
        """The CANCEL of an INVITE that waits: the same branch, number and To (9.1)."""
        kept = ("Via", "Max-Forwards", "Route", "From", "To", "Call-ID")
        headers = tuple((name, value) for name, value in invite.headers if name in kept)
        return SipRequest("CANCEL", invite.uri, (*headers, ("CSeq", f"{invite.cseq[0]} CANCEL")))

    def accept(self, response: SipResponse) -> None:
        """Take tag, target and routes from a response that opens or confirms the dialog."""
        self.remote = response.need("To")
        contact = response.get("Contact")
        if contact is not None:
            self.target = _uri_of(contact)
        routes = [r for v in response.get_all("Record-Route") for r in split_list(v)]
        if routes:
            self.routes = tuple(reversed(routes))

    def respond(
        self, request: SipRequest, code: int, reason: str, body: bytes = b""
    ) -> SipResponse:
        """A response of this dialog, with its tag, Contact and, for a body, its type."""
        headers = [
            ("Contact", self.contact),
            ("Allow", ALLOW),
        ]
        if body:
            headers.append(("Content-Type", "application/sdp"))
        return respond(request, (code, reason), tag_from=self.local, more=headers, body=body)

    def owns(self, request: SipRequest) -> bool:
        """Whether a request belongs to this dialog."""
        same_call = request.need("Call-ID") == self.call_id
        ours = header_parameter(self.local, "tag")
        return same_call and header_parameter(request.need("To"), "tag") == ours

    def _build(
        self, method: str, via: str, number: int, headers: Headers, body: bytes
    ) -> SipRequest:
        base = [("Via", via), ("Max-Forwards", "70")]
        base += [("Route", route) for route in self.routes]
        base += [
            ("From", self.local),
            ("To", self.remote),
            ("Call-ID", self.call_id),
            ("CSeq", f"{number} {method}"),
            ("Contact", self.contact),
            ("User-Agent", "appliance-testing"),
        ]
        return SipRequest(method, self.target, (*base, *headers), body)


def respond(
    request: SipRequest,
    status: tuple[int, str],
    tag_from: str | None = None,
    more: list[tuple[str, str]] | None = None,
    body: bytes = b"",
) -> SipResponse:
    """A response to a request: its Vias, From, To, Call-ID and CSeq are mirrored (8.2.6)."""
    to = request.need("To")
    if header_parameter(to, "tag") is None and status[0] > 100:
        tag = header_parameter(tag_from or "", "tag") or secrets.token_hex(6)
        to = f"{to};tag={tag}"
    headers = [("Via", via) for via in request.get_all("Via")]
    headers += [("Record-Route", route) for route in request.get_all("Record-Route")]
    headers += [
        ("From", request.need("From")),
        ("To", to),
        ("Call-ID", request.need("Call-ID")),
        ("CSeq", request.need("CSeq")),
    ]
    return SipResponse(status[0], status[1], (*headers, *(more or [])), body)


def _uri_of(contact: str) -> str:
    """The URI inside a Contact, checked."""
    parse_uri(contact)
    start, end = contact.find("<"), contact.find(">")
    return contact[start + 1 : end] if 0 <= start < end else contact.partition(";")[0].strip()
