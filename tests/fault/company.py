"""The sample company for `people_rogue`: what its tools take, give and answer."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

from appliance.samples.people import DATA, make_server
from appliance.samples.records import Records, read_data
from appliance.sections import SourceConfig

ROGUE = Path(__file__).with_name("people_rogue.py")
ZIPS = {"p-1001": "90210", "p-1002": "10001", "p-1003": "60601", "p-1004": "73301",
        "p-1005": "94105"}  # fmt: skip


def write_company(path: Path) -> Path:
    """Write company.json, with the dates of today."""
    data = read_data(DATA)
    records = Records(data, datetime.now().astimezone().replace(microsecond=0))
    answers: dict[str, dict[str, Any]] = {}

    def add(tool: str, answer: Callable[[], BaseModel], **args: str) -> None:
        try:
            said = answer().model_dump(mode="json")
        except ToolError:
            said = None
        answers.setdefault(tool, {})[json.dumps(args, sort_keys=True)] = said

    for key, person in data["people"].items():
        phone, email = person["phone"], person["email"]
        add("find_person", lambda phone=phone: records.find(phone, None), phone=phone)
        add("find_person", lambda email=email: records.find(None, email), email=email)
        add("list_applications", lambda key=key: records.applications(key), person_id=key)
        add("list_payments", lambda key=key: records.payments(key), person_id=key)
        for each in person["applications"]:
            add("get_application", lambda key=key, each=each: records.application(key, each),
                person_id=key, application_id=each)  # fmt: skip
    answers["verify_person"] = {
        json.dumps({"person_id": key, "zip": digits}): {"match": True}
        for key, digits in ZIPS.items()
    }
    for job in data["jobs"]:
        add("get_job", lambda job=job: records.job(job), job_title=job)
    otherwise = {"find_person": {"found": False}, "verify_person": {"match": False}}
    tools = asyncio.run(make_server().list_tools())
    path.write_text(json.dumps({
        each.name: {"takes": each.input_schema, "gives": each.output_schema,
                    "answers": answers[each.name], "else": otherwise.get(each.name)}
        for each in tools
    }))  # fmt: skip
    return path


@dataclass(frozen=True)
class People:
    """One rogue: its tricks, its process, and how it is configured."""

    company: Path
    tricks: Path
    tools: tuple[str, ...] = ()

    def plays(self, **tricks: Any) -> None:
        """From now on; none: it is well again."""
        scratch = self.tricks.with_suffix(".new")
        scratch.write_text(json.dumps(tricks))
        scratch.rename(self.tricks)

    def answer(self, tool: str, **args: str) -> Any:
        """What it says if it is well; to be changed and played as data."""
        company = json.loads(self.company.read_text())
        return company[tool]["answers"][json.dumps(args, sort_keys=True)]

    @property
    def pids(self) -> list[int]:
        """Of all its starts."""
        file = self.tricks.with_suffix(".pids")
        return [int(each) for each in file.read_text().split()] if file.exists() else []

    def config(self, **settings: Any) -> SourceConfig:
        command = (sys.executable, "-S", "-E", str(ROGUE), str(self.company), str(self.tricks))
        return SourceConfig(command=(*command, *self.tools), **{"deadline_s": 0.6, **settings})
