"""Fills the tables of the voices' model card from their figures; nobody types a figure.

    python -m models.voice.recipe.report models/voice/MODEL_CARD.md models/voice/figures.*.json

`models/cards.py` says how a card asks for a table: here by one of `TABLES` and the voice's name.
Figures come from `recipe/evaluate.py --json`.
"""

from __future__ import annotations

from models import cards
from models.cards import Figures, Tables

_SOURCES = {
    "originals": "the person's recordings",
    "recordings": "the recordings that it was trained on",
    "copy": "copy synthesis",
    "voice": "**the voice**",
}
_LISTENERS = {"pocketsphinx": "pocketsphinx", "ours": "our recognizer"}
_BANDS = {"wide": "wide band", "telephone": "telephone"}


def judged(figures: Figures) -> list[str]:
    """What was judged, on what."""
    on = figures["machine"]
    model = f"`{figures['voice']}.onnx` {figures['sha256'][:16]}…, {figures['megabytes']:.1f} MB"
    where = f"{on['cpu']}, one thread, load average {on['load_1min']}"
    return [f"{model}, on {figures['sentences']} held-out sentences; {where}."]


def targets(figures: Figures) -> list[str]:
    """What was to be reached, and what was."""
    lines = ["| target | wanted | reached | |", "|---|---|---:|---|"]
    for each in figures["targets"]:
        verdict = "kept" if each["kept"] else "**missed**"
        lines.append(f"| {each['name']} | {each['wanted']} | {each['reached']} | {verdict} |")
    return lines


def sound(figures: Figures) -> list[str]:
    """Speed, length and level."""
    speed, level = figures["speed"], figures["level"]
    length = figures["length_over_recording"]
    return [
        "| | |",
        "|---|---:|",
        f"| real-time factor (processor time) | {speed['real_time_factor']:.4f} |",
        f"| processor time of a ten-word sentence | {speed['first_audio_ms']:.0f} ms |",
        f"| length compared with the recordings | {length:.2f} |",
        f"| active level, as the model gives it | {level['active_dbfs']:.1f} dBFS |",
        f"| its spread over sentences | {level['active_spread_db']:.1f} dB |",
        f"| highest peak | {level['peak']:.2f} |",
    ]


def copy(figures: Figures) -> list[str]:
    """How much of a recording the vocoder keeps."""
    found = figures.get("copy")
    if not found:
        return ["Not measured."]
    bands = {"": "300–3400 Hz", "_8k": "0–4 kHz", "_16k": "0–8 kHz"}
    lines = [
        "| copy synthesis, mean (worst sentence) | PESQ narrow band | STOI |",
        "|---|---:|---:|",
    ]
    for suffix, band in bands.items():
        cells = " | ".join(_mean_and_least(found.get(f"{name}{suffix}"), digits)
                           for name, digits in (("pesq", 2), ("stoi", 3)))  # fmt: skip
        lines.append(f"| {band} | {cells} |")
    return lines


def pitch(figures: Figures) -> list[str]:
    """Height and movement of the voice, and its questions."""
    lines = [
        "| pitch | median | spread over all sentences | within a sentence |",
        "|---|---:|---:|---:|",
    ]
    for source, said in _SOURCES.items():
        if row := figures["pitch"].get(source):
            lines.append(
                f"| {said} | {row['median_hz']:.0f} Hz | {row['spread_st']:.2f} semitones | "
                f"{row['within_st']:.2f} semitones |"
            )
    lines += [
        "",
        "| questions | n | rise | by the last 250 ms | end above the median | … than stated |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for kind, said in (("yes_no", "yes or no"), ("word", "asking for a word")):
        row = figures["questions"][kind]
        lines.append(
            f"| {said} | {row['count']} | {row['rising']:.0%} | {row['rising_long']:.0%} | "
            f"{row['tail_st']:+.1f} semitones | {row['over_statement_st']:+.1f} semitones |"
        )
    return lines


def words(figures: Figures) -> list[str]:
    """Word error rates by listener, band and source, and the voice against the recordings."""
    columns = [(who, band) for who in _LISTENERS for band in _BANDS if who in figures["words"]]
    lines = [
        "| word errors, % (95%) | "
        + " | ".join(f"{_LISTENERS[who]}, {_BANDS[band]}" for who, band in columns)
        + " |",
        "|---|" + "---:|" * len(columns),
    ]
    rows = [*_SOURCES, *(f"voice - {source}" for source in ("originals", "recordings"))]
    for source in rows:
        cells = [figures["words"][who][band].get(source) for who, band in columns]
        if any(cells):
            said = _SOURCES.get(source) or f"the voice less {_SOURCES[source[8:]]}"
            sign = source not in _SOURCES
            lines.append(f"| {said} | {' | '.join(_rate(cell, sign) for cell in cells)} |")
    return lines


TABLES: Tables = {table.__name__: table for table in (judged, targets, sound, copy, pitch, words)}


def _mean_and_least(row: Figures | None, digits: int) -> str:
    return f"{row['mean']:.{digits}f} ({row['least']:.{digits}f})" if row else ""


def _rate(row: Figures | None, signed: bool) -> str:
    if row is None:
        return ""
    sign = "+" if signed else ""
    low, high = 100 * row["low"], 100 * row["high"]
    between = f"{low:+.0f} to {high:+.0f}" if signed else f"{low:.0f}–{high:.0f}"
    return f"{100 * row['value']:{sign}.1f} ({between})"


if __name__ == "__main__":
    cards.run(__doc__, TABLES, "voice")
