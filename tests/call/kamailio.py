"""A kamailio of a test's own."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

MODULE_FOLDERS = ("/usr/lib/x86_64-linux-gnu/kamailio/modules", "/usr/lib64/kamailio/modules")


@contextlib.asynccontextmanager
async def running(
    binary: str,
    config: Path,
    folder: Path,
    port: int,
    values: Mapping[str, str],
    address: str = "127.0.0.1",
) -> AsyncIterator[None]:
    """Run it on a port of a loopback address until the end of the block.

    Args:
        binary: the program.
        config: with @NAMES@; LISTEN and MODULES are filled in here, the others from `values`.
        folder: where it may write.
        port: UDP.
        values: by name.
    """
    modules = next(path for path in MODULE_FOLDERS if Path(path).is_dir())
    filled = {"LISTEN": f"udp:{address}:{port}", "MODULES": modules, **values}
    text = re.sub(r"@(\w+)@", lambda match: filled[match[1]], config.read_text())
    written = folder / "kamailio.cfg"
    written.write_text(text)
    with (folder / "kamailio.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            binary, "-f", str(written), "-DD", "-E", "-w", str(folder),
            "-Y", str(folder), "-m", "64", "-M", "8",
            stdout=log, stderr=log,
        )  # fmt: skip
        try:
            await _until_it_answers(process, (address, port), folder)
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await asyncio.wait_for(process.wait(), 10)


async def _until_it_answers(
    process: asyncio.subprocess.Process, where: tuple[str, int], folder: Path
) -> None:
    deadline = time.monotonic() + 15
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        probe.setblocking(False)
        own = probe.getsockname()[1]
        packet = (
            f"OPTIONS sip:nobody@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:{own};"
            "branch=z9hG4bKup\r\nFrom: <sip:t@127.0.0.1>;tag=1\r\nTo: <sip:n@127.0.0.1>\r\n"
            "Call-ID: up\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
        ).encode()
        while time.monotonic() < deadline and process.returncode is None:
            with contextlib.suppress(OSError):
                probe.sendto(packet, where)
            await asyncio.sleep(0.1)
            with contextlib.suppress(OSError):
                probe.recv(4096)
                return
    pytest.fail("kamailio did not start:\n" + (folder / "kamailio.log").read_text())
