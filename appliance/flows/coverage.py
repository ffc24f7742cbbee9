"""What of a flow a set of dialogues has passed: its states, routes and prompts."""

from __future__ import annotations

from dataclasses import dataclass, field

from appliance.dialogue.flow import Flow
from appliance.dialogue.prompt_names import unspoken_prompts
from appliance.dialogue.routes import waiting_prompts
from appliance.dialogue.turn import WITHHELD, Turn


@dataclass
class Coverage:
    """Gathers what turns have passed; `missing` names the rest."""

    flow: Flow
    states: set[str] = field(default_factory=set)
    routes: set[str] = field(default_factory=set)
    prompts: set[str] = field(default_factory=set)

    def add(self, turn: Turn) -> None:
        """Count one turn."""
        routes = self._every("routes")
        for place in turn.taken:
            if place in routes:
                self.routes.add(place)
            elif place != WITHHELD:
                self.states.add(place.removeprefix("states."))
        self.prompts.update(prompt.id for prompt in turn.say)

    def missing(self, kind: str) -> list[str]:
        """The states, routes or prompts that no turn has passed."""
        return sorted(self._every(kind) - getattr(self, kind))

    def share(self, kind: str) -> tuple[int, int]:
        """How many were passed, and how many there are."""
        every = self._every(kind)
        return len(every & getattr(self, kind)), len(every)

    def _every(self, kind: str) -> frozenset[str]:
        if kind == "states":
            return frozenset(self.flow.spec.states)
        if kind == "routes":
            return frozenset(self.flow.route_paths.values())
        every = {name for texts in self.flow.templates.values() for name in texts}
        spec = self.flow.spec
        return frozenset(every - unspoken_prompts(spec) - set(waiting_prompts(spec)))
