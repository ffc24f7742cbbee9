import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    yield database
    database.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost with its key in one file; it signs itself."""
    folder = tmp_path_factory.mktemp("tls")
    key, cert, both = (folder / name for name in ("key.pem", "cert.pem", "both.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)],
        check=True, capture_output=True,
    )  # fmt: skip
    both.write_bytes(key.read_bytes() + cert.read_bytes())
    return both


@pytest.fixture(scope="session")
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
