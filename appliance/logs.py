"""How the processes of the box log: one line an event on stderr, for the journal.

JSON unless a person looks on. What a caller said or typed may be in an error's text, in the value
of a variable or in what a library logs, so none of these is written: of an error only its kind and
where it was raised, of a library only who wrote and from where.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import structlog


def configure_logging(level: int = logging.INFO) -> None:
    """Log from `level` on, to stderr, from now on."""
    shown: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    rendered = [] if sys.stderr.isatty() else [structlog.processors.ExceptionRenderer(_traceback)]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            *rendered,
            shown,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    root = logging.getLogger()
    if not sys.stderr.isatty() and not any(isinstance(each, Libraries) for each in root.handlers):
        root.addHandler(Libraries(logging.WARNING))


def log_crashes() -> None:
    """Log bugs that end this process or one of its threads; Python itself would write their text.

    For a process that is a service.
    """
    sys.excepthook = _crashed
    threading.excepthook = lambda told: _crashed(told.exc_type, told.exc_value, told.exc_traceback)
    sys.unraisablehook = lambda told: _crashed(told.exc_type, told.exc_value, told.exc_traceback)


class Libraries(logging.Handler):
    """Takes what libraries log by Python's own means, into our log."""

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        log = structlog.get_logger()
        write = log.error if record.levelno >= logging.ERROR else log.warning
        at = f"{record.filename}:{record.lineno}"
        write("a library warns", library=record.name, at=at, exc_info=record.exc_info)


def _crashed(
    kind: type[BaseException], error: BaseException | None, _: TracebackType | None
) -> None:
    if error is None or issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    structlog.get_logger().critical("ended by a bug", exc_info=error)


def _traceback(exc_info: Any) -> str:
    """Kinds of errors and where they were raised; of an operating system's error its text too."""
    return "\n".join(_told(exc_info[1], set()))


def _told(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _told(before, seen)
        yield "and then"
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip()
    text = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    yield type(error).__qualname__ + text
    for each in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        if id(each) not in seen:
            yield from _told(each, seen)
