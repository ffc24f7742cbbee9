"""Our SIP identities: the one that takes calls, and the extension registered at a PBX."""

from __future__ import annotations

from typing import Any, Protocol

import pjsua2 as pj
import structlog

from appliance.config import LineConfig, RegistrarConfig
from appliance.errors import ConfigError
from appliance.secret_files import secret_path
from appliance.telephony.endpoint import media_transport
from appliance.telephony.messages import Registration
from appliance.telephony.texts import clean_text

log = structlog.get_logger()

RETRY_S = 10
_EVENT_NOT_SUPPORTED = 489


class AccountOwner(Protocol):
    """What an account tells the line."""

    def on_incoming(self, account: pj.Account, call_id: int, source: str) -> None:
        """An INVITE came in from `source` ("address:port")."""
        ...

    def on_registration(self, state: Registration) -> None:
        """The registrar answered, or did not."""
        ...


class Account(pj.Account):  # type: ignore[misc]  # pjsua2 has no types
    """Forwards the stack's callbacks to the line."""

    def __init__(self, owner: AccountOwner) -> None:
        super().__init__()
        self._owner = owner

    def onIncomingCall(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """A new INVITE outside a dialog."""
        try:
            self._owner.on_incoming(self, prm.callId, prm.rdata.srcAddress)
        except Exception:  # boundary: SIP callback
            log.exception("incoming call failed")

    def onRegState(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """The answer to a REGISTER."""
        try:
            registered = prm.code // 100 == 2
            expires_s = max(0, prm.expiration) if registered else 0
            if expires_s >= 0xFFFFFFFF:  # pjsip's "not given"
                expires_s = 0
            self._owner.on_registration(Registration(prm.code, clean_text(prm.reason), expires_s))
        except Exception:  # boundary: SIP callback
            log.exception("registration state failed")

    def onIncomingSubscribe(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """Nothing here can be subscribed to."""
        prm.code = _EVENT_NOT_SUPPORTED


def make_local_account(config: LineConfig, owner: AccountOwner) -> Account:
    """The account for calls that come straight to our address."""
    settings = _common_settings(config)
    settings.idUri = f"sip:appliance@{config.public_address or config.address}:{config.port}"
    account = Account(owner)
    account.create(settings, True)
    return account


def make_registered_account(
    config: LineConfig, registrar: RegistrarConfig, owner: AccountOwner
) -> Account:
    """The account that registers and stays registered.

    Raises:
        ConfigError: the password file cannot be read, or the server is no SIP URI.
    """
    settings = _common_settings(config)
    server = registrar.server if ":" in registrar.server else f"sip:{registrar.server}"
    scheme, _, host = server.partition(":")
    settings.idUri = f"{scheme}:{registrar.user}@{host.partition(';')[0]}"
    settings.regConfig.registrarUri = server
    settings.regConfig.timeoutSec = registrar.expires_s
    settings.regConfig.retryIntervalSec = RETRY_S
    settings.regConfig.firstRetryIntervalSec = 2
    settings.regConfig.registerOnAdd = True
    settings.regConfig.unregWaitMsec = 0  # the line waits by itself
    settings.sipConfig.authCreds.append(
        pj.AuthCredInfo("digest", registrar.realm, registrar.user, 0, _read_password(registrar))
    )
    account = Account(owner)
    try:
        account.create(settings, False)
    except pj.Error as error:
        raise ConfigError(f"line.registrar.server: {server!r}: {error.reason}") from error
    return account


def _common_settings(config: LineConfig) -> pj.AccountConfig:
    settings = pj.AccountConfig()
    settings.mediaConfig.transportConfig = media_transport(config)
    settings.mediaConfig.lockCodecEnabled = False  # else a second re-INVITE to name one codec
    settings.mwiConfig.enabled = False
    settings.natConfig.contactRewriteUse = 0  # line.public_address says it where NAT is between
    settings.natConfig.viaRewriteUse = 0
    settings.natConfig.sdpNatRewriteUse = 0
    settings.natConfig.udpKaIntervalSec = 0
    if config.edge_port is not None:
        settings.sipConfig.proxies.append(f"sip:127.0.0.1:{config.edge_port};lr")
    return settings


def _read_password(registrar: RegistrarConfig) -> str:
    try:
        return secret_path(registrar.password_file).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"line.registrar.password_file: {registrar.password_file}: {error}"
        ) from error
