"""Mistakes in the data files of the status flow are refused, with the line and what is right."""

from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder, read_flow


@pytest.mark.parametrize(
    ("file", "right", "wrong", "said"),
    [
        ("needs.yaml", '"{question}"', '"{questoin}"',
         "needs.guide: {questoin} is none of question, keywords, status"),
        ("needs.yaml", "needs: [applications, application]", "needs: [aplications]",
         "topics.application_status: no need aplications"),
        ("policy.yaml", "{applications: 72}", "{aplications: 72}",
         "requires: aplications is none of"),
        ("policy.yaml", "payment.paid_on: [absent]", "payment.paidon: [absent]",
         "contradictions.paid_without_date: payment.paidon is none of"),
        ("policy.yaml", "tell: paid_without_date", "tell: paid_without_day",
         "tell: paid_without_day is none of"),
        ("wording.yaml", "{title} is under", "{titel} is under",
         "under_review: can only have title"),
    ],
)  # fmt: skip
def test_a_typo_is_refused(tmp_path: Path, file: str, right: str, wrong: str, said: str) -> None:
    folder = tmp_path / "own"
    copytree(flow_folder("status"), folder, ignore=ignore_patterns("__pycache__"))
    text = (folder / file).read_text()
    assert right in text
    (folder / file).write_text(text.replace(right, wrong, 1))
    with pytest.raises(ConfigError, match=file) as error:
        read_flow(folder)
    assert said in str(error.value)
    assert "Value error" not in str(error.value)
    assert ": :" not in str(error.value)
