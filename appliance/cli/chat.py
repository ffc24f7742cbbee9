"""`appliance chat`: a flow's conversation by text, with what it knows and does shown beside it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from appliance.cli.chat_host import ChatHost, open_host
from appliance.clock import SystemClock
from appliance.config import Config, load_config
from appliance.dialogue.campaign import read_campaign
from appliance.dialogue.events import NoInput
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.summary import sum_up
from appliance.dialogue.turn import State, Turn
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder
from appliance.flows.shelf import FlowSet, FlowShelf
from appliance.flows.textcall import TextCall, Understand
from appliance.logs import configure_logging
from appliance.nlu.loading import open_understander
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context, Understander
from appliance.session.readiness import check_intents
from appliance.session.textwalk import TextWalk
from appliance.store.accounts import AccountBook, load_accounts
from appliance.types import Language

_HELP = "Type what the caller says; digits alone are keys; an empty line is silence; Ctrl-D ends."
_KEYS = frozenset("0123456789*#")
_LONGEST_SHOWN = 60  # characters
_WIDE = 100  # columns from which the details have room beside what is said


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a conversation is held.

    `fails`: tools that fail; `entry`: what the host knows; `store`: database that tools work on;
    `campaign`: a file that is laid over the flow, whose language is then that of the call;
    `config`: a file whose sources, documents and validation are used.
    """

    language: Language = "en"
    number: str = ""
    accounts: Path | None = None
    fails: tuple[str, ...] = ()
    entry: tuple[tuple[str, str], ...] = ()
    show_route: bool = False
    store: Path | None = None
    campaign: Path | None = None
    config: Path | None = None


def chat(flow: str, options: ChatOptions) -> None:
    """Converse until the flow ends or the input does.

    Raises:
        ConfigError: the flow, one that it hands over to or the accounts cannot be used.
    """
    configure_logging(logging.WARNING)  # what goes well is seen
    campaign = read_campaign(options.campaign) if options.campaign else None
    flows = FlowShelf(flow, campaign).current
    _assert_tools(flows, options.fails)
    entry = {"caller_number": options.number, **_entry(flows.first, options.entry)}
    understander = understanding(options.config)
    check_intents(flows.all(), understander.intents)
    call = TextCall(
        _bound(flow, flows.first, options, entry), as_listened(understander), SystemClock().now
    )
    config = load_config(options.config) if options.config else Config()
    with open_host(config, options.store, flows.all(), options.fails, options.number) as host:
        walk = TextWalk(call, flows, host.perform, entry)
        _Chat(walk, host, show_route=options.show_route).hold()


def _bound(
    name: str, flow: Flow, options: ChatOptions, entry: Mapping[str, bool | str]
) -> CallFlow:
    path = options.accounts or example_accounts(name)
    book = load_accounts(path) if options.accounts or path.exists() else AccountBook({})
    language = options.language if flow.campaign == "" else flow.languages[0]
    try:
        return flow.bind(
            f"chat-{SystemClock().now():%Y%m%d%H%M%S}", book.find(options.number), language,
            languages=flow.languages, entry=entry, seed=flow.seed or "chat",
        )  # fmt: skip
    except ConfigError as error:
        where = f"accounts are in {path}, what is known at the start comes by --entry"
        raise ConfigError(f"{error}\n{where}") from error


def _assert_tools(flows: FlowSet, fails: Iterable[str]) -> None:
    known = {tool for flow in flows.all() for tool in flow.spec.tools}
    for tool in fails:
        if tool not in known:
            there = ", ".join(sorted(known)) or "none"
            raise ConfigError(f"--fail: no tool {tool}; there are: {there}")


class _Chat:
    """One conversation."""

    def __init__(self, walk: TextWalk, host: ChatHost, *, show_route: bool) -> None:
        self._walk, self._call, self._host = walk, walk.call, host
        self._show_route = show_route
        self._shown: Mapping[str, bool | str] = {}
        self._console = Console(highlight=False)

    def hold(self) -> None:
        """Begin, and answer each line of the input."""
        self._console.print(_HELP, style="dim")
        self._settle(self._call.starts())
        while not self._call.state.ended:
            try:
                typed = self._console.input("[bold cyan]caller:[/] ").strip()
            except EOFError:
                self._settle(self._call.hangs_up())
                break
            self._settle(self._reply(typed))
        over = self._host.end(self._walk.story, self._call.flow, self._call.state)
        if over.notes or over.takeaways:
            self._console.rule("summary")
            for line in sum_up(over.turns, over.notes, over.takeaways).lines():
                self._console.print(line, markup=False)

    def _reply(self, typed: str) -> Turn:
        if not typed:
            return self._call.take(NoInput())
        if _KEYS.issuperset(typed) and self._call.turns[-1].listen.accepts_digits:
            return self._call.types(typed)
        return self._call.says(typed)

    def _settle(self, turn: Turn) -> None:
        """Show a turn and all that follows without the caller: outcomes of tools, another flow."""
        before = self._call.flow
        for each in self._walk.follow(turn):
            if self._call.flow is not before:
                before = self._call.flow
                self._console.rule(f"goes on in {before.flow.name}")
            self._show(each)

    # What is seen

    def _show(self, turn: Turn) -> None:
        said = "\n".join(f"[bold green]appliance:[/] {escape(each.text)}" for each in turn.say)
        details = "\n".join(_details(turn, self._call.flow.flow, self._shown))
        self._shown = turn.state.facts
        if self._console.width >= _WIDE:
            beside = Table.grid(padding=(0, 2), expand=True)
            beside.add_column(ratio=3)
            beside.add_column(ratio=2, style="dim", overflow="fold")
            beside.add_row(said, escape(details))
            self._console.print(beside)
        else:
            if said:
                self._console.print(said)
            self._console.print(indent(details, "  "), style="dim", markup=False)
        if self._show_route:
            route = " > ".join(turn.taken) or "none"
            self._console.print(f"  route: {route}", style="magenta", markup=False)


def _details(turn: Turn, flow: Flow, shown: Mapping[str, bool | str]) -> Iterator[str]:
    """What stands beside a turn, line by line; of facts, what is new since they were `shown`."""
    state, spec = turn.state, flow.spec
    at = f"ended: {state.outcome}" if state.ended else f"{state.phase}/{state.current}"
    yield f"{at}  turn {state.turns} of {spec.max_turns}"
    yield from _counters(state, flow)
    learned = {n: value for n, value in state.facts.items() if shown.get(n) != value}
    facts = [f"{name}={_short(value)}" for name, value in learned.items()]
    if facts:
        yield f"knows {', '.join(facts)}"
    forgotten = [name for name in shown if name not in state.facts]
    if forgotten:
        yield f"forgets {', '.join(forgotten)}"
    for note in state.notes:
        given = "; ".join(f"{name}={value}" for name, value in note.key_facts.items())
        asked = f" open: {', '.join(note.open_questions)}" if note.open_questions else ""
        yield f"note to {note.to}: {note.summary} {given}{asked}"
    for action in turn.actions:
        given = ", ".join(f"{name}={_short(value)}" for name, value in action.args.items())
        yield f"does {action.name}({given})"


def _short(value: bool | str) -> str:
    """A value as far as there is room for it: data can be long."""
    text = str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _counters(state: State, flow: Flow) -> Iterator[str]:
    counted = [
        f"{name} {count} of {flow.spec.counters[name].limit}"
        for name, count in state.counters.items()
    ]
    if counted:
        yield f"counts {', '.join(counted)}"


def _entry(flow: Flow, given: Iterable[tuple[str, str]]) -> dict[str, bool | str]:
    """What is known at the start, as the flow declares it: `true` for a flag."""
    for name, _ in given:
        if name not in flow.spec.entry:
            known = ", ".join(flow.spec.entry) or "none"
            raise ConfigError(f"--entry: {name}: not declared under entry; there are: {known}")
    flags = {name for name, kind in flow.spec.facts.items() if kind == "flag"}
    return {name: value == "true" if name in flags else value for name, value in given}


def understanding(config: Path | None) -> Understander:
    """As calls are understood; without a configuration and beside no model, by rules alone.

    Raises:
        ConfigError: the model that is configured cannot be loaded.
    """
    section = (load_config(config) if config else Config()).understanding
    if config is None and not section.model.is_dir():
        typer.echo(f"No {section.model} here: what you say is read by rules alone.", err=True)
        return RuleUnderstander()
    return open_understander(section)


def as_listened(understander: Understander) -> Understand:
    """The same in the context of what is listened for."""
    return lambda text, listen: understander.understand(text, Context.of(listen))


def example_accounts(flow: str | Path) -> Path:
    """The invented accounts beside a flow, which is named as for `load_flow`."""
    return flow_folder(flow) / "accounts.example.yaml"
