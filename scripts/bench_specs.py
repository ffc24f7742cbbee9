"""How many cases of the public Recognizers-Text suites are read as these expect.

    .venv/bin/python scripts/bench_specs.py FOLDER [--json FILE] [--failures N]

FOLDER is a copy of the `Specs` folder of microsoft/Recognizers-Text (MIT), which is no part of this
project. English and Spanish are run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from appliance.errors import ConfigError
from appliance.testing.specs.runner import Score, run_specs


def main() -> int:
    """Print the figures; 2 if there is nothing to run."""
    parser = argparse.ArgumentParser(description="Run external suites of understanding.")
    parser.add_argument("folder", type=Path, help="copy of the Specs folder")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="show N of each file")
    options = parser.parse_args()
    try:
        scores = run_specs(options.folder)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    for score in scores:
        _print(score, options.failures)
    right, judged = sum(each.right for each in scores), sum(each.judged for each in scores)
    print(f"{'all':45} {right:5} of {judged:5}  {right / max(1, judged):6.1%}")
    if options.json:
        figures = {
            each.file: {"right": each.right, "judged": each.judged, "left_out": each.left_out}
            for each in scores
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


def _print(score: Score, failures: int) -> None:
    left_out = f", {score.left_out} left out" if score.left_out else ""
    print(f"{score.file:45} {score.right:5} of {score.judged:5}  {score.rate:6.1%}{left_out}")
    for text, found in score.failures[:failures]:
        print(f"    {text!r}: {found or 'nothing'}")


if __name__ == "__main__":
    sys.exit(main())
