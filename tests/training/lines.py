"""A few lines of the shipped examples: what a test can train on in seconds."""

from collections import Counter
from pathlib import Path

from appliance.training.examples import Example, read_examples

DATA = Path(__file__).parents[2] / "models/intent/data"
CHOSEN = ("busy", "callback_request", "stop_request", "human_request", "goodbye")


def chosen(part: str, lines: int) -> list[Example]:
    """So many English lines of a few intents, a reading each, and some out of scope."""
    files = ("en_manners.yaml", "en_rest.yaml") if part == "train" else ("en.yaml",)
    count: Counter[str] = Counter()
    found = {}
    for each in (each for name in files for each in read_examples(DATA / part / name)):
        name = each.intents[0] if each.intents else ""
        wanted = name in CHOSEN or not each.intents
        if wanted and each.slot is None and len(each.intents) < 2 and each.line not in found:
            count[name] += 1
            if count[name] <= lines:
                found[each.line] = each
    return list(found.values())
