"""What commands share that take minutes: a bar while they run, and a file of figures at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from appliance.errors import ConfigError

Tell = Callable[[str, int, int], None]
"""Is told the stage, how much of it is done, and of how much."""

_DRAW_S = 0.1


@contextmanager
def progress(*, ticking: bool = True) -> Iterator[Tell]:
    """A bar for each stage, on the terminal only; in a log, a line a stage.

    Args:
        ticking: a thread draws ten times a second, which counts where processor time is measured;
            else it is drawn only when something is told, ten times a second at most.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, auto_refresh=ticking) as bars:
        tasks: dict[str, TaskID] = {}
        drawn = time.monotonic()

        def tell(stage: str, done: int, total: int) -> None:
            nonlocal drawn
            kind = stage.partition(",")[0]
            if kind not in tasks:
                tasks[kind] = bars.add_task(stage, total=total)
            bars.update(tasks[kind], description=stage, completed=done, total=total)
            if not ticking and (done == total or time.monotonic() > drawn + _DRAW_S):
                drawn = time.monotonic()
                bars.refresh()

        yield tell


def assert_folder(figures: Path | None) -> None:
    """What takes minutes must not fail at its end for a folder that is not there.

    Raises:
        ConfigError: it is not there.
    """
    if figures and not figures.parent.is_dir():
        raise ConfigError(f"{figures}: cannot be written: there is no folder {figures.parent}")


def assert_writable(path: Path | None, taken: Iterable[Path]) -> None:
    """What takes minutes must not fail at its end, nor write over what it was made from.

    Args:
        path: where figures or a table are to be written.
        taken: files that must stay.

    Raises:
        ConfigError: it cannot be written, or is one of these.
    """
    if path is None:
        return
    assert_folder(path)
    if path.resolve() in {each.resolve() for each in taken}:
        raise ConfigError(f"{path}: is one of the files that are judged by; write to another")
    try:
        fresh = not path.exists()
        path.open("a").close()
        if fresh:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error


def write_json(path: Path, told: object) -> None:
    """Write figures.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_text(path, json.dumps(told, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a result.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
