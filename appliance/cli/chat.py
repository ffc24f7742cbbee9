"""`appliance chat`: a flow's conversation by text, with what it does shown beside it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from appliance import flows
from appliance.clock import SystemClock
from appliance.dialogue.events import NoInput, ToolDone
from appliance.dialogue.turn import Action, State, Turn
from appliance.flows.registry import load_flow
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.store.accounts import load_accounts

_HELP = "Type what the caller says; digits alone are keys; an empty line is silence; Ctrl-D ends."


def chat(flow_name: str, accounts: Path | None, number: str) -> None:
    """Converse until the flow ends or the input does.

    Raises:
        ConfigError: the flow or the accounts file cannot be used.
    """
    console = Console(highlight=False)
    loaded = load_flow(flow_name)
    account = load_accounts(accounts or example_accounts(flow_name)).find(number)
    flow = loaded.bind("chat", account)
    understander = RuleUnderstander()
    call = TextCall(
        flow,
        lambda text, listen: understander.understand(text, Context(listen.slot, listen.language)),
        SystemClock().now,
    )
    console.print(_HELP, style="dim")
    _shown(console, call.starts())
    while not call.state.ended:
        try:
            typed = console.input("[bold cyan]caller:[/] ").strip()
        except EOFError:
            return
        waiting = _shown(console, _reply(call, typed))
        while waiting and not call.state.ended:  # by text nothing can fail: every tool is done
            waiting += _shown(console, call.take(ToolDone(waiting.pop(0).name, "done")))


def _reply(call: TextCall, typed: str) -> Turn:
    if not typed:
        return call.take(NoInput())
    if typed.isdigit() and call.turns[-1].listen.accepts_digits:
        return call.types(typed)
    return call.says(typed)


def _shown(console: Console, turn: Turn) -> list[Action]:
    """Print a turn; returns what it does."""
    for prompt in turn.say:
        console.print(f"[bold green]appliance:[/] {prompt.text}")
    for action in turn.actions:
        args = ", ".join(f"{name}={value}" for name, value in action.args.items())
        console.print(f"  does {action.name}({args})", style="yellow")
    console.print(f"  {_state_line(turn.state)}", style="dim")
    return list(turn.actions)


def _state_line(state: State) -> str:
    facts = [f"{name}={value}" for name, value in state.facts.items()]
    counters = [f"{name}:{count}" for name, count in state.counters.items() if count]
    where = f"ended: {state.outcome}" if state.ended else f"{state.phase}/{state.current}"
    return "  ".join([where, f"turn {state.turns}", *counters, *facts])


def example_accounts(flow: str) -> Path:
    """The invented accounts beside a flow, which is named as for `load_flow`."""
    folder = Path(flow).parent if flow.endswith("flow.yaml") else Path(flow)
    if not folder.is_dir():
        folder = Path(flows.__file__).parent / flow
    return folder / "accounts.example.yaml"
