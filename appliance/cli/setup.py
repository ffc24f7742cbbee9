"""`appliance setup` and `appliance apply`: from a bare box to one that takes calls. Thin."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from appliance.checkup import applying, settingup
from appliance.checkup.draft import Draft
from appliance.checkup.finding import FAILURES, Finding, exit_code
from appliance.checkup.interview import BACK, Answers, Respondent, interview, read_answers
from appliance.checkup.questions import QUESTIONS, Question
from appliance.cli.doctor import show
from appliance.cli.places import CONFIG, INSTALLED, ConfigOption
from appliance.clock import SystemClock
from appliance.config import load_config, parse_text
from appliance.errors import ConfigError

_SHIPPED = Path("/opt/appliance/current/share/appliance.toml")
_WELCOME = (
    "Some questions, each tested at once. Enter takes what stands in [brackets], - is none, "
    "< goes back, ? explains. Nothing is written before you have seen all of it.\n"
)


class Typed:
    """A person at a terminal, maybe on a serial line: plain lines, no colours that matter."""

    def answer(self, question: Question, proposed: str) -> str:
        """See `Respondent`."""
        known = "as it is" if question.secret else proposed
        shown = f" [{known}]" if proposed else ""
        prompt = f"{question.text}{shown}: "
        try:
            return getpass.getpass(prompt) if question.secret else input(prompt)
        except EOFError as error:
            raise ConfigError("setup was left; nothing was written") from error

    def tell(self, finding: Finding) -> None:
        """See `Respondent`."""
        show(finding)

    def say(self, text: str) -> None:
        """See `Respondent`."""
        typer.echo(f"  {text}")

    def refuse(self, question: Question, why: str) -> None:  # noqa: ARG002 (see `Respondent`)
        """See `Respondent`."""
        typer.echo(f"  ✗ {why}")

    def insists(self, question: Question, findings: Sequence[Finding]) -> bool:  # noqa: ARG002
        """See `Respondent`."""
        return _choose("  Keep it all the same, or answer again?", "keep", "again") == "keep"


def setup(
    answers: Annotated[
        Path | None, typer.Option(help="Answer by this file (TOML) instead of being asked")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="With --answers: write though a test fails")
    ] = False,
    start: Annotated[bool, typer.Option(help="Start the box, and try it by a call")] = True,
    config: ConfigOption = CONFIG,
) -> None:
    """Ask what the box must know, test each answer, write the configuration, start and try it.

    Run it again to change something: it proposes what is there. Exit code as `appliance doctor`.
    """
    text = settingup.template_of(config, _SHIPPED)
    draft = Draft(config, parse_text(text, config))
    if answers is None:
        typer.echo(_WELCOME)
        raise typer.Exit(_talk(draft, text, start=start))
    respondent: Respondent = Answers(read_answers(answers), answers, Typed(), force)
    draft = interview(draft, respondent)
    raise typer.Exit(_carry_out(draft, text, start=start)[0])


def apply(
    restart: Annotated[
        bool, typer.Option(help="Start anew what has changed, once its calls have ended")
    ] = True,
    config: ConfigOption = CONFIG,
) -> None:
    """Make the box follow its configuration; calls end before what carries them starts anew."""
    done = applying.apply(load_config(config), typer.echo, restart=restart)
    typer.echo("done" if done else "nothing to do: all runs as configured")


def _talk(draft: Draft, text: str, *, start: bool) -> int:
    """Until it is as the person wants it; returns the exit code."""
    from_last = False
    while True:
        draft = interview(draft, Typed(), from_last=from_last)
        from_last = True
        _summarize(draft)
        wish = _choose("Write this?", "yes", BACK, "quit")
        if wish == "quit":
            raise ConfigError("setup was left; nothing was written")
        if wish == BACK:
            continue
        code, before = _carry_out(draft, text, start=start)
        if code < FAILURES:
            return code
        chosen = _choose("Something fails. Keep it so, go back to the questions, or put back what "
                         "was there?", "keep", BACK, "undo")  # fmt: skip
        if chosen == "keep":
            return code
        before.put_back(own_machine=_is_own(draft.path))
        if chosen == "undo":
            settingup.start(load_config(draft.path), typer.echo)
            return code


def _carry_out(draft: Draft, text: str, *, start: bool) -> tuple[int, settingup.Before]:
    config, before = settingup.write(draft, text, own_machine=_is_own(draft.path))
    typer.echo(f"{draft.path}: written")
    if not start:
        return 0, before
    if not settingup.start(config, typer.echo):
        typer.echo(f"No systemd runs this machine. Start the box: appliance serve --config "
                   f"{draft.path}; then: appliance doctor --config {draft.path}")  # fmt: skip
        return 0, before
    found = []
    for each in settingup.try_out(draft.path, SystemClock()):
        found.append(each)
        show(each)
    return exit_code(found), before


def _summarize(draft: Draft) -> None:
    typer.echo("")
    for question in QUESTIONS:
        if question.wanted(draft):
            shown = "(as typed)" if question.secret else draft.get(question.key) or "-"
            typer.echo(f"  {question.key:<10} {shown}")


def _choose(text: str, *choice: str) -> str:
    """One of these, by its first letter; the first by Enter."""
    while True:
        try:
            typed = input(f"{text} [{'/'.join(choice)}]: ").strip().lower()
        except EOFError as error:
            raise ConfigError("setup was left") from error
        if not typed:
            return choice[0]
        if found := [each for each in choice if each.startswith(typed)]:
            return found[0]


def _is_own(path: Path) -> bool:
    """Whether it is this machine's configuration, and not one for a trial."""
    return path.resolve() == INSTALLED and os.geteuid() == 0
