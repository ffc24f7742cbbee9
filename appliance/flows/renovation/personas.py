"""Bob and Alice: by which names they can be asked for, and what each knows about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Persona:
    """Somebody who can be asked for.

    Attributes:
        name: as in the flow's `voices`.
        heard: patterns of what the recognizer may make of the name, and of roles.
        topics: what he answers: each as its file in knowledge/ is named, and as it is said.
    """

    name: str
    heard: tuple[str, ...] = ()
    topics: Mapping[str, str] = field(default_factory=dict)


BOB = Persona(
    "bob",
    ("bop", "bobb", "bobby", "bub", "the planner", "the planning (guy|man|expert)"),
    {"planning": "planning", "timeline": "the timeline", "contractors": "contractors"},
)
ALICE = Persona(
    "alice",
    ("alis", "allis", "alison", "allison", "alyce", "alyss", "ellis", "elise", "a lis",
     "the (permit |building )?(specialist|expert)"),
    {
        "permits": "permits",
        "structure": "structural work",
        "materials": "materials",
        "costs": "costs",
        "safety": "safety",
        "sequencing": "the order of the work",
    },
)  # fmt: skip
PERSONAS = (BOB, ALICE)
