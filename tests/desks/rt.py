"""A real Request Tracker 5 on 127.0.0.1 with a database of its own: Debian's packages, as they are.

Everything lies in one folder; /etc/request-tracker5 is neither read nor written.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from appliance.sections import RequestTrackerConfig

SETUP = "rt-setup-database-5"
SERVER = Path("/usr/share/request-tracker5/libexec/rt-server")
DATA = Path(__file__).parent / "rt_data.pl"
MARIA = "maria.lopez@example.com"
_READY_S = 60

_SITE = """
use utf8;
Set($rtname, 'example.com');
Set($Organization, 'example.com');
Set($WebDomain, '127.0.0.1');
Set($WebPort, %(port)d);
Set($WebPath, '');
Set($DatabaseType, 'SQLite');
Set($DatabaseName, '%(folder)s/rt.sqlite');
Set($MailCommand, 'testfile');
Set($LogToSyslog, undef);
Set($LogToSTDERR, 'error');
Set($LogDir, '%(folder)s');
Set($MasonDataDir, '%(folder)s/mason');
Set($MasonSessionDir, '%(folder)s/session');
Set($Timezone, 'UTC');
Set($BcryptCost, 4);  # every request checks its token
1;
"""


@dataclass
class Tracker:
    """A running Request Tracker."""

    port: int
    folder: Path

    def config(self, **more: Any) -> RequestTrackerConfig:
        return RequestTrackerConfig(
            **{"url": f"http://127.0.0.1:{self.port}", "deadline_s": 30.0,
               "token_file": self.folder / "tokens/agent", **more},
        )  # fmt: skip

    def client(self, user: str) -> httpx2.Client:
        """REST 2 as a user of it: his own words are his."""
        token = (self.folder / "tokens" / user).read_text()
        return httpx2.Client(
            base_url=f"http://127.0.0.1:{self.port}/REST/2.0/", timeout=30,
            headers={"Authorization": f"token {token}"},
        )  # fmt: skip


@contextmanager
def running(folder: Path) -> Iterator[Tracker]:
    """Initialize a database, serve it, and stop the server again."""
    if shutil.which(SETUP, path=f"{os.environ['PATH']}:/usr/sbin") is None:
        raise AssertionError("request-tracker5 is not installed: run scripts/install test-all")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for name in ("mason", "session", "site.d", "tokens"):
        (folder / name).mkdir()
    site = folder / "RT_SiteConfig.pm"
    site.write_text(_SITE % {"port": port, "folder": folder})
    environment = {
        **os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin", "RT_SITE_CONFIG": str(site),
        "RT_SITE_CONFIG_DIR": str(folder / "site.d"), "RT_TEST_TOKENS": str(folder / "tokens"),
    }  # fmt: skip
    common = ["--skip-create", "--dba", "", "--dba-password", ""]
    for step in (["--action", "init"], ["--action", "insert", "--datafile", str(DATA)]):
        subprocess.run([SETUP, *step, *common], env=environment, check=True, capture_output=True)
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [SERVER, "--host", "127.0.0.1", "--port", str(port), "--max-workers", "4"],
            env=environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        _wait_for(port, server, folder)
        yield Tracker(port, folder)
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(port: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    ends = time.monotonic() + _READY_S
    while time.monotonic() < ends and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError((folder / "server.log").read_text())
