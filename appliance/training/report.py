"""The report of a run as text: figures, guarded intents, confusions, worst examples."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.nlu.model import Classifier
from appliance.training.evaluation import Evaluation

_CONFUSIONS, _WORST, _WEAKEST = 12, 15, 10


def figures(name: str, found: Evaluation) -> str:
    """One line of figures."""
    parts = [f"{name}: {found.first:.2%} of {found.inside} right"]
    if found.outside is not None:
        outside = found.examples - found.inside
        parts.append(f"{found.accepted:.2%} right and accepted")
        parts.append(f"{found.outside:.1%} of {outside} out of scope refused")
    if found.also is not None:
        parts.append(f"{found.also:.1%} of what is said besides found")
    parts.append(f"calibration error {found.calibration:.3f}")
    return ", ".join(parts)


def guarded(found: Evaluation) -> Iterator[str]:
    """How the guarded intents fare, with what was missed and what was heard falsely."""
    yield (
        f"Guarded intents: {found.guarded_recall:.2%} heard, "
        f"false alarms in {found.false_alarms:.2%} of utterances"
    )
    for name, guard in found.guards.items():
        if not guard.said and not guard.false:
            continue
        yield f"  {name}: {guard.recall:.1%} of {guard.said}, {len(guard.false)} false alarms"
        yield from (f"    missed: {each.text}" for each in guard.missed[:5])
        yield from (
            f"    false:  {each.text}  ({(each.intents or ('out_of_scope',))[0]})"
            for each in guard.false[:5]
        )


def details(found: Evaluation) -> Iterator[str]:
    """What is mixed up most, which intents are weakest, and the surest mistakes."""
    if found.confused:
        yield "Confused most (meant, taken for, how often):"
        for meant, taken, count in found.confused[:_CONFUSIONS]:
            yield f"  {meant} -> {taken or 'nothing'}: {count}"
        yield "Weakest intents:"
        rates = sorted(found.by_intent.items(), key=lambda item: item[1][1] / item[1][0])
        for name, (count, right, false) in rates[:_WEAKEST]:
            if right < count:
                yield f"  {name}: {right} of {count} right, {false} taken for it"
        yield "Surest mistakes:"
        for each in found.mistakes[:_WORST]:
            taken = each.found or "nothing"
            yield f"  {each.confidence:.2f} {taken} for {each.meant}: {each.example.text}"


def thresholds(classifier: Classifier) -> str:
    """What calibration has chosen."""
    return (
        f"{len(classifier.labels)} intents, temperature {classifier.temperature:.2f}, "
        f"out of scope below an energy of {classifier.threshold:.2f}"
    )
