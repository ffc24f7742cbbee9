"""A flow as it is where only one of its languages is spoken: no route leads to another.

Who asks for another language takes the route `otherwise`, as on a box that does not speak it.
"""

from __future__ import annotations

from collections.abc import Mapping

from appliance.dialogue.schema import ActionState, Decision, FlowSpec, Route
from appliance.types import Language


def in_one_language(spec: FlowSpec, language: Language) -> FlowSpec:
    """The flow with this language alone."""
    fallbacks = {name: _route(route, language) for name, route in spec.fallbacks}
    return spec.model_copy(
        update={
            "lexicon": {each: said for each, said in spec.lexicon.items() if each == language},
            "out_of_turns": _route(spec.out_of_turns, language),
            "universal": _routes(spec.universal, language),
            "fallbacks": spec.fallbacks.model_copy(update=fallbacks),
            "counters": {
                name: each.model_copy(update={"past": each.past and _route(each.past, language)})
                for name, each in spec.counters.items()
            },
            "states": {
                name: state.model_copy(
                    update={
                        "on": _routes(state.on, language),
                        **(
                            {"then": _route(state.then, language)}
                            if isinstance(state, ActionState | Decision) and state.then
                            else {}
                        ),
                    }
                )
                for name, state in spec.states.items()
            },
        }
    )


def _routes(routes: Mapping[str, Route], language: Language) -> dict[str, Route]:
    return {name: _route(each, language) for name, each in routes.items()}


def _route(route: Route, language: Language) -> Route:
    """The route without a change of language, and all that are in it."""
    if route.language and route.language != language and route.otherwise:
        return _route(route.otherwise, language)
    return route.model_copy(
        update={
            "language": None,
            "otherwise": None,
            "past": route.past and _route(route.past, language),
            "on": _routes(route.on, language),
        }
    )
