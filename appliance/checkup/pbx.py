"""Whether the PBX can be reached, and whether it takes the extension's password.

OPTIONS needs no account: any answer proves that messages go both ways. The registration is asked
for without a Contact, so the PBX proves the password and tells which box is registered, and the
registration of the running appliance is not touched.
"""

from __future__ import annotations

import re
import time

from appliance.checkup.exchange import Peer, Question, ask
from appliance.checkup.finding import Finding, fail, ok, warn
from appliance.errors import PeerError
from appliance.testing.digest import Credentials
from appliance.testing.sip import SipResponse, header_parameter, split_list

REACHED, REGISTERED = "pbx", "registration"
_SLOW_MS = 500.0


async def check_reachable(peer: Peer, address: str) -> list[Finding]:
    """Does the PBX answer OPTIONS?"""
    started = time.monotonic()
    try:
        response = await ask(peer, Question("OPTIONS", "appliance"), address)
    except PeerError as error:
        return [fail(
            REACHED, str(error),
            f"look after the cable, the PBX's address and port ({peer}), its transport, and a "
            f"firewall between it and {address}",
        )]  # fmt: skip
    took_ms = (time.monotonic() - started) * 1000
    seen = f"{peer} answers OPTIONS with {response.code} after {took_ms:.0f} ms"
    if took_ms > _SLOW_MS:
        return [warn(REACHED, seen, "the network to the PBX is slow: calls will be as late")]
    return [ok(REACHED, seen)]


async def check_registration(
    peer: Peer, credentials: Credentials, address: str, ours: tuple[str, ...]
) -> list[Finding]:
    """Does the PBX know the extension and its password, and is this box registered there?

    Args:
        peer: the registrar.
        credentials: the extension's.
        address: of this machine.
        ours: "address:port" of which one is registered while the box runs; empty while it is
            stopped, when nothing is to be registered.
    """
    try:
        response = await ask(peer, Question("REGISTER", credentials.user, credentials), address)
    except PeerError as error:
        return [fail(REGISTERED, str(error), f"is {peer} the PBX's registrar?")]
    if response.code >= 300:
        return [_refused(peer, credentials.user, response)]
    accepted = f"the PBX takes the password of extension {credentials.user}"
    bound = _bindings(response)
    if not ours:
        return [ok(REGISTERED, accepted)]
    if mine := [each for each in bound if any(place in each for place in ours)]:
        left = header_parameter(mine[0], "expires")
        until = f" for {left} s more" if left else ""
        return [ok(REGISTERED, f"{accepted}; this box is registered there{until}")]
    others = ", ".join(each.split(">")[0].lstrip("<") for each in bound)
    return [fail(
        REGISTERED,
        f"{accepted}, but this box is not registered" + (f"; who is: {others}" if others else ""),
        "give the box a minute after its start; then look at the log of the first line process "
        "(journalctl -u appliance-line@0): registration",
    )]  # fmt: skip


def _refused(peer: Peer, user: str, response: SipResponse) -> Finding:
    """What a PBX means by its refusal; many say 403 or 401 to everything, so as not to tell."""
    answer = f"{response.code} {response.reason}"
    said = f"{peer} answers the registration of extension {user} with {answer}"
    match response.code:
        case 404 | 410 | 604:
            return fail(
                REGISTERED, f"{said}: it does not know this extension",
                "correct line.registrar.user, or create the extension at the PBX",
            )  # fmt: skip
        case 401 | 407:
            return fail(
                REGISTERED, f"{said} again: the password is wrong, or the extension's user name is",
                "write the extension's secret anew (appliance setup); in the PBX the user name "
                "for authentication must be the extension",
            )  # fmt: skip
        case 403:
            return fail(
                REGISTERED, f"{said}: wrong password, or not allowed from this address",
                "write the extension's secret anew (appliance setup); allow this box's address at "
                "the PBX, and look whether it has blocked the address after wrong passwords",
            )  # fmt: skip
        case 405 | 501:
            return fail(
                REGISTERED, f"{said}: it is no registrar",
                "give the PBX's own address as line.registrar.server, not a proxy's or a phone's",
            )  # fmt: skip
    return fail(REGISTERED, said, "look at the PBX's log")


def _bindings(response: SipResponse) -> list[str]:
    """The Contact values of an answer to REGISTER."""
    values = [each for value in response.get_all("Contact") for each in split_list(value)]
    return [each for each in values if re.search(r"sips?:", each)]
