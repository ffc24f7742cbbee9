"""A few dozen examples in files, as an operator writes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of examples: `write("en_a.yaml", "- {intent: busy, says: [I drive]}")`."""

    def write(name: str, text: str, folder: str = "examples") -> Path:
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return write
