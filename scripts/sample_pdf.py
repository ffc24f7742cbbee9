"""Writes the one sample document that is a PDF, and small PDFs for tests.

    .venv/bin/python scripts/sample_pdf.py appliance/samples/documents/starting-a-job.pdf

A PDF is a few numbered objects and a table of where they begin (ISO 32000-1, 7.5), so this needs no
library. Only ASCII, one font, no line is broken: what is written is what a reader must find.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

Line = tuple[float, str]
"""Size of the letters in points, and the text."""

TITLE, HEADING, BODY = 20.0, 14.0, 11.0

STARTING = (
    (TITLE, "Starting a job"),
    (HEADING, "Your first day"),
    (BODY, "Be there fifteen minutes early on your first day. Ask for the supervisor whose"),
    (BODY, "name is in your letter. The address is in the letter too."),
    (HEADING, "Papers for your first day"),
    (BODY, "Bring a photo ID and your social security card, or a passport. We need them for"),
    (BODY, "form I nine within three business days after you start."),
    (HEADING, "Clothes and safety equipment"),
    (BODY, "The employer provides helmets, gloves and safety glasses. You bring your own"),
    (BODY, "safety shoes. We pay back up to eighty dollars for safety shoes once a year."),
    (HEADING, "Training"),
    (BODY, "Training that the employer asks for is working time. It is paid like work."),
    (HEADING, "If you are late or cannot come"),
    (BODY, "Call your supervisor at least one hour before your shift. Two days without a"),
    (BODY, "call can end the job."),
    (HEADING, "Ending a job"),
    (BODY, "Give two weeks' notice if you want to leave. Your last pay comes on the next"),
    (BODY, "regular payday. Return badges and keys on your last day."),
)  # fmt: skip


def write_pdf(pages: Sequence[Sequence[Line]], title: str = "") -> bytes:
    """A PDF with these lines; raises UnicodeEncodeError for what is not ASCII."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        drawn = _draw(lines)
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects.append(f"<< /Title ({_escape(title)}) >>")
    return _assemble(objects)


def _draw(lines: Sequence[Line]) -> str:
    drawn, height, above = [], 740.0, 0.0
    for size, text in lines:
        height -= 2.0 * size if size > BODY and size != above else 1.3 * size
        above = size
        drawn.append(f"BT /F1 {size:g} Tf 60 {height:g} Td ({_escape(text)}) Tj ET")
    return "\n".join(drawn)


def _assemble(objects: Sequence[str]) -> bytes:
    written, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    written += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n{trailer}\n"
        f"startxref\n{len(written)}\n%%EOF\n"
    )
    return written.encode("ascii")


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(write_pdf([STARTING], "Starting a job"))
