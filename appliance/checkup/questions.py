"""What a box must be told, in this order, and how each answer is tested.

A question's test sees all answers so far. It raises where an answer cannot be used at all, and
gives findings where it was tried (the PBX answers, the password is taken). What can be known
without asking is proposed.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from appliance.checkup.draft import NO, YES, Draft, reachable_or_empty
from appliance.checkup.finding import Finding, ok, warn
from appliance.checkup.pbx import check_reachable, check_registration
from appliance.checkup.ports import check_address
from appliance.checkup.readable import INSTALLED, unreadable
from appliance.checkup.writing import zone_of, zones
from appliance.errors import ConfigError
from appliance.flows.registry import read_flow, shipped_flows
from appliance.session.readiness import check_accounts
from appliance.store.accounts import load_accounts
from appliance.types import Language

Test = Callable[[Draft], list[Finding]]


@dataclass(frozen=True, slots=True)
class Question:
    """One.

    Attributes:
        key: its name, in files of answers too.
        text: what is asked.
        why: what helps to answer.
        proposed: the answer that is meant by none.
        test: of an answer, which the draft has.
        secret: it is not shown while it is typed.
        wanted: whether it is asked at all.
    """

    key: str
    text: str
    why: str
    proposed: Callable[[Draft], str]
    test: Test
    secret: bool = False
    wanted: Callable[[Draft], bool] = lambda _: True


def _one_of(key: str, *choice: str) -> Test:
    def test(draft: Draft) -> list[Finding]:
        if draft.get(key) not in choice:
            raise ConfigError(f"{draft.get(key)!r}: answer with {' or '.join(choice)}")
        return []

    return test


def _pbx(draft: Draft) -> list[Finding]:
    _ = draft.pbx
    _ = draft.here
    return []


def _address(draft: Draft) -> list[Finding]:
    try:
        IPv4Address(draft.get("address"))
    except ValueError as error:
        raise ConfigError(f"{draft.get('address')!r} is no IPv4 address") from error
    if wrong := check_address(draft.get("address")):
        return wrong
    return asyncio.run(check_reachable(draft.pbx, draft.get("address")))


def _peers(draft: Draft) -> list[Finding]:
    if not draft.peers():
        raise ConfigError("nobody could call: give at least one network")
    return []


def _extension(draft: Draft) -> list[Finding]:
    if not draft.get("extension") or not set(draft.get("extension")).isdisjoint(' @<>;:"'):
        raise ConfigError("give the number or name of the extension only, e.g. 200")
    return []


def _password(draft: Draft) -> list[Finding]:
    if not draft.get("password"):
        raise ConfigError("an extension without a password is anybody's: set one in the PBX")
    return asyncio.run(
        check_registration(draft.pbx, draft.credentials, draft.get("address"), ours=())
    )


def _zone(draft: Draft) -> list[Finding]:
    if draft.get("time_zone") not in zones():
        raise ConfigError(f"{draft.get('time_zone')!r}: no time zone; one is America/Los_Angeles")
    return []


def _flow(draft: Draft) -> list[Finding]:
    flow = read_flow(draft.get("flow"))
    if draft.get("language") not in flow.languages:
        raise ConfigError(f"flow {flow.name} speaks {', '.join(flow.languages)} only")
    return [ok("flow", f"{flow.name}, in {draft.get('language')}")]


def _needs_account(draft: Draft) -> bool:
    return read_flow(draft.get("flow")).needs_account


def _accounts(draft: Draft) -> list[Finding]:
    if not draft.get("accounts"):
        return [warn("accounts", "there are none: every caller will be refused (480)",
                     "give the file later, as call.accounts; docs/flows.md")]  # fmt: skip
    path = Path(draft.get("accounts"))
    if not path.is_absolute():
        raise ConfigError(f"{path}: give the whole path, from / on")
    book = load_accounts(path)
    check_accounts([read_flow(draft.get("flow"))], book, _language(draft))
    closed = unreadable("accounts", "accounts", path) if draft.path == INSTALLED else []
    return closed or [ok("accounts", f"{path}: {len(book.all())} entries that fit the flow")]


def _language(draft: Draft) -> Language:
    return "es" if draft.get("language") == "es" else "en"


def _human(draft: Draft) -> list[Finding]:
    given = draft.get("human")
    if given and not given.startswith(("sip:", "sips:", "tel:")):
        raise ConfigError(f"{given!r}: give a SIP URI, e.g. sip:100@{draft.pbx.host}")
    return []


def _has_edge(_: Draft) -> str:
    there = all(shutil.which(name, path="/usr/sbin:/usr/bin") for name in ("kamailio", "rtpengine"))
    return YES if there else NO


def _host_of(draft: Draft) -> str:
    registrar = draft.config.line.registrar
    if registrar is None:
        return ""
    return registrar.server.partition(":")[2].partition(";")[0]


QUESTIONS: tuple[Question, ...] = (
    Question(
        "pbx", "Address of the PBX",
        "HOST or HOST:PORT, as phones are given it. An address is better than a name: the box "
        "then needs no name server.",
        _host_of, _pbx,
    ),
    Question(
        "edge", "Put the edge between the PBX and the box (yes, no)?",
        "kamailio and rtpengine keep floods and strangers away, hide the lines and can encrypt "
        "(docs/edge.md). Without it the PBX talks to the lines themselves, by UDP only.",
        _has_edge, _one_of("edge", YES, NO),
    ),
    Question(
        "transport", "How does the PBX carry SIP (udp, tcp, tls)?",
        "tls encrypts signalling; the PBX must offer it, usually at port 5061.",
        lambda draft: draft.config.edge.transport, _one_of("transport", "udp", "tcp", "tls"),
        wanted=lambda draft: draft.edge,
    ),
    Question(
        "srtp", "Encrypt speech (off, offer, require)?",
        "offer: with a PBX that can; require: other calls are refused, and it needs tls.",
        lambda draft: "offer" if draft.transport == "tls" else "off",
        _one_of("srtp", "off", "offer", "require"),
        wanted=lambda draft: draft.edge,
    ),
    Question(
        "address", "Address of this box that the PBX reaches",
        "One of this machine's own (ip -brief address). SIP and speech come to it.",
        reachable_or_empty, _address,
    ),
    Question(
        "peers", "Networks that calls come from",
        "Separated by commas: the PBX's address, or its network where it has several. All others "
        "are refused.",
        lambda draft: draft.pbx_networks(), _peers,
    ),
    Question(
        "extension", "Extension (user name at the PBX)",
        "Create it in the PBX as a SIP phone's. The box registers with it and takes its calls.",
        lambda draft: draft.config.line.registrar.user if draft.config.line.registrar else "",
        _extension,
    ),
    Question(
        "password", "Password of the extension",
        "Its secret in the PBX. It is kept in a file of its own that only root can read.",
        lambda draft: draft.kept_password, _password, secret=True,
    ),
    Question(
        "time_zone", "Time zone",
        "As in America/Los_Angeles: appointments, business hours and records are told in it.",
        lambda _: zone_of(), _zone,
    ),
    Question(
        "language", "Language of the calls (en, es)", "What callers speak at the beginning.",
        lambda draft: draft.config.call.language, _one_of("language", "en", "es"),
    ),
    Question(
        "flow", "Flow: what the box does on the telephone",
        f"One that is shipped ({', '.join(shipped_flows())}), or the path of your own flow.yaml.",
        lambda draft: draft.config.call.flow, _flow,
    ),
    Question(
        "accounts", "File of the callers' accounts (YAML)",
        "By caller's number, with an entry `default` for the others; docs/flows.md. It may be "
        "given later (-): until then every caller is refused.",
        lambda draft: str(draft.config.call.accounts or ""), _accounts, wanted=_needs_account,
    ),
    Question(
        "human", "Where callers go who want a person (SIP URI)",
        "None (-): they are promised a call back.",
        lambda draft: draft.config.call.human or "", _human,
    ),
)  # fmt: skip
