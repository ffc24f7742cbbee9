"""What is wrong with a file of scenarios, in the words of who wrote it."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

_REMEDIES = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "list_type": "must be a list: begin each entry with `- `",
    "tuple_type": "must be a list: [one, another]",
    "model_type": "must have keys: `name: value`",
}


def describe(path: Path, error: ValidationError) -> str:
    """One line per problem: file: scenario 1, step 2, expect: what is wrong."""
    lines = []
    for problem in error.errors():
        said = _REMEDIES.get(problem["type"], problem["msg"])
        lines.append(f"{path}: {_place(problem['loc'])}{said}")
    return "\n".join(lines)


def _place(where: tuple[int | str, ...]) -> str:
    """Where in the file; scenarios and steps are counted as people count."""
    parts: list[str] = []
    for part in where:
        if isinstance(part, int) and (not parts or parts[-1] == "steps"):
            parts[-1:] = [f"{'step' if parts else 'scenario'} {part + 1}"]
        else:
            parts.append(str(part))
    return ", ".join(parts) + ": " if parts else ""
