import pytest

from appliance.checkup.finding import Finding, Status, exit_code, fail, ok, skipped, warn, worst


@pytest.mark.parametrize(
    ("findings", "status", "code"),
    [
        ([], Status.OK, 0),
        ([ok("a", "")], Status.OK, 0),
        ([ok("a", ""), skipped("b", "")], Status.SKIPPED, 0),
        ([warn("a", "", "do"), skipped("b", "")], Status.WARN, 1),
        ([fail("a", "", "do"), warn("b", "", "do"), ok("c", "")], Status.FAIL, 2),
    ],
)
def test_the_worst_decides(findings: list[Finding], status: Status, code: int) -> None:
    assert worst(findings) is status
    assert exit_code(findings) == code
