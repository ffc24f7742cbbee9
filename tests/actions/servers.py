"""Mail and web servers on 127.0.0.1 that behave as the test says: real sockets, real protocols."""

from __future__ import annotations

import contextlib
import email
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default


@dataclass
class Post:
    """One HTTP request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """What came in; `tricks` says for one connection after the other how it is treated.

    Tricks: `ok`, `hang` (never answers), `drip` (a byte now and then), `drop` (closes when it has
    everything), `refuse` (mail: 550 for all recipients; web: 404), `busy` (mail: 451; web: 500).
    `endless` (web: 200, and a body that never comes). `says:TEXT` answers 200 with this text. The
    last trick holds for all later connections.
    """

    port: int
    tricks: list[str]
    mails: list[EmailMessage] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    connections: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    def next_trick(self) -> str:
        self.connections += 1
        return self.tricks.pop(0) if len(self.tricks) > 1 else self.tricks[0]


Handler = Callable[[Server, socket.socket, str], None]


@contextlib.contextmanager
def serving(handler: Handler, *tricks: str) -> Iterator[Server]:
    """A server in threads of its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener.getsockname()[1], list(tricks) or ["ok"])
    threads: list[threading.Thread] = []

    def take(link: socket.socket, trick: str) -> None:
        with link, contextlib.suppress(OSError, EOFError):
            handler(server, link, trick)

    def accept() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            if server.closing.is_set():
                link.close()
                return
            thread = threading.Thread(target=take, args=(link, server.next_trick()))
            thread.start()
            threads.append(thread)

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        server.closing.set()
        with contextlib.suppress(OSError):  # wakes `accept`, which closing does not
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        accepting.join()
        listener.close()
        for each in threads:
            each.join()


def _stall(server: Server, link: socket.socket, trick: str) -> None:
    """Hold the client until it goes away or the test is over."""
    link.settimeout(0.02)
    while not server.closing.is_set():
        if trick == "drip":
            link.sendall(b"2")
        try:
            if not link.recv(4096):
                return
        except TimeoutError:
            continue


def web(server: Server, link: socket.socket, trick: str) -> None:
    """HTTP/1.1, one request for each connection."""
    if trick in ("hang", "drip"):
        return _stall(server, link, trick)
    file = link.makefile("rb")
    _, path, _ = file.readline().decode().split()
    headers = {}
    while line := file.readline().strip():
        name, _, value = line.decode().partition(": ")
        headers[name] = value
    body = file.read(int(headers["Content-Length"]))
    server.posts.append(Post(path, headers, body))
    if trick == "drop":
        return None
    if trick == "endless":  # a good answer whose body does not end
        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        return _stall(server, link, trick)
    if trick.startswith("says:"):
        said = trick.removeprefix("says:").encode()
        link.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(said)}\r\n\r\n".encode() + said)
        return None
    status = {"ok": "204 No Content", "busy": "500 Oh", "refuse": "404 No", "move": "302 Go"}
    where = f"Location: http://127.0.0.1:{server.port}/other\r\n" if trick == "move" else ""
    link.sendall(f"HTTP/1.1 {status[trick]}\r\n{where}Content-Length: 0\r\n\r\n".encode())
    return None


def mail(server: Server, link: socket.socket, trick: str) -> None:
    """SMTP without TLS."""
    _smtp(server, link, trick, None)


def mail_with(context: ssl.SSLContext) -> Handler:
    """SMTP that insists on STARTTLS and a login."""
    return lambda server, link, trick: _smtp(server, link, trick, context)


def inside(handler: Handler, context: ssl.SSLContext) -> Handler:
    """The same inside TLS from the first byte."""

    def handle(server: Server, link: socket.socket, trick: str) -> None:
        with context.wrap_socket(link, server_side=True) as secure:
            handler(server, secure, trick)

    return handle


def _smtp(  # noqa: C901 (a command for each branch)
    server: Server,
    link: socket.socket,
    trick: str,
    tls: ssl.SSLContext | None,
    *,
    greets: bool = True,
) -> None:
    if trick in ("hang", "drip"):
        return _stall(server, link, trick)
    if greets:
        link.sendall(b"220 box\r\n")
    file = link.makefile("rb")
    secured = tls is None
    while line := file.readline():
        verb = line[:4].upper()
        if verb == b"EHLO":
            more = b"250-STARTTLS\r\n" if not secured else b"250-AUTH PLAIN\r\n"
            link.sendall(b"250-box\r\n" + more + b"250 8BITMIME\r\n")
        elif verb == b"STAR":
            link.sendall(b"220 go\r\n")
            assert tls is not None
            with tls.wrap_socket(link, server_side=True) as secure:
                return _smtp(server, secure, trick, None, greets=False)
        elif not secured:
            link.sendall(b"530 STARTTLS first\r\n")
        elif verb == b"AUTH":
            server.logins.append(line.decode().split()[-1])
            link.sendall(b"235 ok\r\n")
        elif verb == b"RCPT" and trick == "refuse":
            link.sendall(b"550 <nobody@example.com> unknown\r\n")
        elif verb == b"DATA":
            link.sendall(b"354 go\r\n")
            _take_mail(server, link, trick, file.readline)
            if trick == "drop":
                return None
        elif verb == b"QUIT":
            link.sendall(b"221 bye\r\n")
            return None
        else:
            if verb == b"RCPT":
                server.recipients.append(line.decode().strip())
            link.sendall(b"250 ok\r\n")
    return None


def _take_mail(
    server: Server, link: socket.socket, trick: str, readline: Callable[[], bytes]
) -> None:
    lines = []
    while (line := readline()) != b".\r\n":
        if not line:
            raise EOFError
        lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
    if trick == "busy":
        link.sendall(b"451 later\r\n")
        return
    message = email.message_from_bytes(b"".join(lines), policy=default)
    assert isinstance(message, EmailMessage)
    server.mails.append(message)
    if trick != "drop":
        link.sendall(b"250 taken\r\n")
