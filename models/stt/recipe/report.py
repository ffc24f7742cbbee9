"""Fills the tables of the model card from the figures of the benchmark; nobody types a figure.

    python -m models.stt.recipe.report models/stt/MODEL_CARD.md models/stt/figures.*.json

`models/cards.py` says how a card asks for a table: here by one of `TABLES` and the language. The
figures come from `scripts/bench_hearing.py --json`. With `--check` nothing is written; 1 says that
it would be.
"""

from __future__ import annotations

from models import cards
from models.cards import Figures, Tables

_LEVELS = ("clean", "20 dB", "10 dB", "5 dB")
_SETS = {
    "open": "unseen sentences",
    "flows-zip": "ZIP codes",
    "flows-digits": "numbers of 1-16 digits",
    "flows-yesno": "yes and no",
    "flows-date": "dates",
    "flows-amount": "sums of money",
    "flows-time": "times of day",
    "flows-name": "names",
    "real-digits": "single digits, real",
    "real-zip": "five digits joined, real",
    "real-books": "read books, real",
    "real-adults": "read sentences, real adults",
    "real-children": "read sentences, real children",
    "real-commands": "single words (bed, cat, …), real",
}


def targets(figures: Figures) -> list[str]:
    """What was to be reached, and what was."""
    lines = ["| target | wanted | reached | 95% interval | |", "|---|---|---:|---:|---|"]
    for each in figures["targets"]:
        interval = each["interval"]
        reached = _percent(each["reached"]) if interval else f"{each['reached']:.1f} ms"
        low_high = f"{_percent(interval[0])}–{_percent(interval[1])}" if interval else ""
        verdict = "kept" if each["kept"] else "**missed**"
        lines.append(f"| {each['name']} | {each['wanted']} | {reached} | {low_high} | {verdict} |")
    return lines


def levels(figures: Figures) -> list[str]:
    """Word errors with their interval and exact utterances, by set and noise level."""
    lines = [
        "| word errors, % (95%); exact, % | n | " + " | ".join(_LEVELS) + " |",
        "|---|---:|" + "---:|" * len(_LEVELS),
    ]
    for name, said in _SETS.items():
        rows = figures["sets"].get(name, {}).get("lines")
        if rows:
            cells = " | ".join(_both(rows.get(level)) for level in _LEVELS)
            lines.append(f"| {said} | {rows['clean']['utterances']} | {cells} |")
    pooled = figures["pooled"]
    if pooled:
        cells = " | ".join(_both(pooled.get(level)) for level in _LEVELS)
        lines.append(f"| all slot answers together | {pooled['clean']['utterances']} | {cells} |")
    return lines


def lines(figures: Figures) -> list[str]:
    """Other lines than the noise levels, for the sets that pass through them."""
    chosen = {name: figures["sets"][name]["lines"] for name in ("open", "real-zip")
              if name in figures["sets"]}  # fmt: skip
    others = [name for name in next(iter(chosen.values())) if name not in _LEVELS]
    table = [
        "| word errors, % (95%); exact, % | " + " | ".join(_SETS[name] for name in chosen) + " |",
        "|---|" + "---:|" * len(chosen),
    ]
    for other in others:
        cells = " | ".join(_both(rows.get(other)) for rows in chosen.values())
        table.append(f"| {other} | {cells} |")
    return table


def voices(figures: Figures) -> list[str]:
    """By the kind of voice, at 20 dB."""
    rows = {
        name: row["voices"]
        for name, row in figures["sets"].items()
        if "voices" in row and not name.startswith("real")
    }
    kinds = sorted({kind for row in rows.values() for kind in row})
    table = [
        "| word errors, % (95%); exact, % | " + " | ".join(kinds) + " |",
        "|---|" + "---:|" * len(kinds),
    ]
    for name, said in _SETS.items():
        if name in rows:
            cells = " | ".join(_both(rows[name].get(kind)) for kind in kinds)
            table.append(f"| {said} | {cells} |")
    return table


def slots(figures: Figures) -> list[str]:
    """Slots as the appliance's rules read them from what was heard."""
    table = [
        "| right, % (95%) | n | " + " | ".join(_LEVELS) + " |",
        "|---|---:|" + "---:|" * len(_LEVELS),
    ]
    for slot, rows in figures["slots"].items():
        cells = " | ".join(_share(rows.get(level)) for level in _LEVELS)
        table.append(f"| {slot.replace('_', ' ')} | {rows['clean']['count']} | {cells} |")
    for key, said in (("first", "ZIP of real digits"), ("confirmed", "the same, one retry")):
        rows = {level: row[key] for level, row in figures["zip"].items()}
        if rows:
            cells = " | ".join(_share(rows.get(level)) for level in _LEVELS)
            table.append(f"| {said} | {rows['clean']['count']} | {cells} |")
    return table


def yardstick(figures: Figures) -> list[str]:
    """pocketsphinx and this model on the same utterances at 20 dB."""
    table = [
        "| word errors, % (95%); exact, % | n | pocketsphinx | this model |",
        "|---|---:|---:|---:|",
    ]
    for name, said in _SETS.items():
        row = (figures["yardstick"] or {}).get(name)
        if row:
            count = row["ours"]["utterances"]
            table.append(f"| {said} | {count} | {_both(row['theirs'])} | {_both(row['ours'])} |")
    return table


def quiet(figures: Figures) -> list[str]:
    """Words out of nothing."""
    table = ["| sound | clips of 5 s | with text | acted on |", "|---|---:|---:|---:|"]
    for kind, row in figures["quiet"].items():
        table.append(f"| {kind} | {row['clips']} | {row['with_text']} | {row['acted_on']} |")
    return table


def errors(figures: Figures) -> list[str]:
    """The commonest errors at 20 dB: said and heard, with how often."""
    titles = {"open": "unseen sentences", "flows": "slot answers", "real": "real speakers"}
    table = ["| | said → heard (times) |", "|---|---|"]
    for key, title in titles.items():
        pairs = figures["confusions"].get(key)
        if pairs:
            said = ", ".join(f"{a or '∅'} → {b or '∅'} ({n})" for a, b, n in pairs[:15])
            table.append(f"| {title} | {said} |")
    return table


def confidence(figures: Figures) -> list[str]:
    """What confidence is worth, at 20 dB over all sets."""
    row = figures["confidence"]
    table = ["| confidence | utterances | mean | exact |", "|---|---:|---:|---:|"]
    for each in row["bins"]:
        low = int(each["confidence"] * 10) / 10
        table.append(
            f"| from {low:.1f} | {each['count']} | {each['confidence']:.2f} | {each['exact']:.2f} |"
        )
    table.append("")
    table.append(
        f"Expected calibration error {_percent(row['expected_error'])}. Above the threshold "
        f"{row['threshold']} lie {_percent(row['acted_on'])} of the utterances."
    )
    return table


def machine(figures: Figures) -> list[str]:
    """What was judged, on what."""
    on, speed = figures["machine"], figures["speed"]
    took = (
        f"A final decode of {speed['seconds']:.0f} s takes {speed['cpu_ms_p50']} ms of processor "
        f"time (median of {speed['utterances']}; 95th percentile {speed['cpu_ms_p95']} ms)."
        if speed
        else ""
    )
    return [
        f"`model.bin` {figures['model']['sha256'][:16]}…, on {on['cpu']}, {on['cores']} cores, "
        f"load average {on['load_1min']}. {took}".strip()
    ]


TABLES: Tables = {
    table.__name__: table
    for table in (
        targets, levels, lines, voices, slots, yardstick, quiet, errors, confidence, machine,
    )
}  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _share(share: Figures | None) -> str:
    if share is None:
        return ""
    return f"{100 * share['value']:.1f} ({100 * share['low']:.0f}–{100 * share['high']:.0f})"


def _both(row: Figures | None) -> str:
    return f"{_share(row['wer'])}; {100 * row['exact']['value']:.0f}" if row else ""


if __name__ == "__main__":
    cards.run(__doc__, TABLES, "language")
