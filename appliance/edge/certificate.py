"""The edge's certificate for SIP over TLS, by openssl: made, asked for, and looked at.

A box in an air-gapped network has no public authority to ask. So the certificate is signed by
itself and the PBX is given it to trust, or a request is written for the operator's own authority.
The key never leaves its file: openssl writes it, kamailio reads it, nothing here does.
"""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from appliance.edge_section import EdgeConfig
from appliance.errors import ConfigError
from appliance.whole_files import write_whole

DAYS = 825
"""As long as clients take a certificate that is not of a public authority."""

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")
_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc")
_LIMIT_S = 30


def make_certificate(edge: EdgeConfig, names: Sequence[str] = (), days: int = DAYS) -> None:
    """Make a new key and a certificate signed with it, at the places of [edge.tls].

    Args:
        edge: whose addresses the certificate is for.
        names: host names beside them.
        days: how long it is valid from now on.

    Raises:
        ConfigError: there is one already, a name is none, or openssl cannot.
    """
    key, certificate = edge.tls.key, edge.tls.certificate
    for path in (key, certificate):
        if path.exists():
            raise ConfigError(f"{path}: is there already; move it away to make another")
    subject = _subject(edge, names)
    with tempfile.TemporaryDirectory() as name:
        made_key, made = Path(name) / "key", Path(name) / "crt"
        _openssl(
            "req", "-x509", *_CURVE, "-days", str(days), *subject,
            "-addext", "basicConstraints=critical,CA:FALSE",
            "-addext", "keyUsage=critical,digitalSignature",
            "-addext", "extendedKeyUsage=serverAuth,clientAuth",
            "-keyout", str(made_key), "-out", str(made),
        )  # fmt: skip
        _install(made_key, key, 0o600)
        _install(made, certificate, 0o644)


def make_request(edge: EdgeConfig, out: Path, names: Sequence[str] = ()) -> None:
    """Write a request for the operator's own authority; a key is made where there is none.

    Args:
        edge: whose addresses the certificate is for.
        out: where the request goes; what the authority answers belongs at edge.tls.certificate.
        names: host names beside them.

    Raises:
        ConfigError: as `make_certificate`.
    """
    subject = _subject(edge, names)
    with tempfile.TemporaryDirectory() as name:
        made_key, made = Path(name) / "key", Path(name) / "csr"
        old = edge.tls.key.exists()
        key = ("-key", str(edge.tls.key)) if old else (*_CURVE, "-keyout", str(made_key))
        _openssl("req", "-new", *key, *subject, "-out", str(made))
        if not old:
            _install(made_key, edge.tls.key, 0o600)
        _install(made, out, 0o644)


def certificate_end(path: Path) -> datetime.datetime:
    """When a certificate ends, in UTC.

    Raises:
        ConfigError: it cannot be read.
    """
    said = _openssl("x509", "-in", str(path), "-noout", "-enddate", "-dateopt", "iso_8601")
    return datetime.datetime.fromisoformat(said.strip().partition("=")[2])


def assert_pair(certificate: Path, key: Path) -> None:
    """Whether the key is the certificate's.

    Raises:
        ConfigError: it is not, or one of them cannot be read.
    """
    public = _openssl("x509", "-in", str(certificate), "-noout", "-pubkey")
    if public != _openssl("pkey", "-in", str(key), "-pubout"):
        raise ConfigError(f"edge.tls.key: {key} is not the key of {certificate}")


def _subject(edge: EdgeConfig, names: Sequence[str]) -> tuple[str, ...]:
    """Arguments for whom it is: both addresses, and names."""
    if bad := [name for name in names if not _NAME.fullmatch(name)]:
        raise ConfigError(f"{bad[0]!r} is no host name")
    addresses = dict.fromkeys((edge.shown_address, edge.address))
    known = [*(f"IP:{address}" for address in addresses), *(f"DNS:{name}" for name in names)]
    common = names[0] if names else str(edge.shown_address)
    return "-subj", f"/CN={common}", "-addext", f"subjectAltName={','.join(known)}"


def _install(made: Path, target: Path, mode: int) -> None:
    """Put a file into its place, whole, never readable by more than its mode says."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, made.read_bytes(), mode)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from error


def _openssl(*arguments: str) -> str:
    binary = shutil.which("openssl")
    if binary is None:
        raise ConfigError("openssl is missing: apt-get install openssl")
    done = subprocess.run(
        [binary, *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        raise ConfigError(f"openssl {arguments[0]}: {said[0]}")
    return done.stdout
