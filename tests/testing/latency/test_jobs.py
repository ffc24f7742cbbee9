"""Calls are dealt out whole, and evenly."""

from pathlib import Path

from appliance.testing.digest import Credentials
from appliance.testing.latency.jobs import LANES_A_PROCESS, Far, Job, make_jobs, make_lanes

SCRIPTS = [Path("a.yaml"), Path("b.yaml")]


def test_every_call_once_and_targets_evenly() -> None:
    targets = [f"sip:x@127.0.0.1:{port}" for port in (5060, 5062, 5064)]
    lanes = make_lanes(targets, SCRIPTS, 8, range(100, 120))
    assert sorted(o.number for lane in lanes for o in lane.calls) == list(range(100, 120))
    assert [lane.target for lane in lanes].count(targets[0]) == 3
    assert {o.script for lane in lanes for o in lane.calls} == set(SCRIPTS)


def test_few_callers_in_a_process() -> None:
    far = Far(targets=("sip:x@127.0.0.1",))
    lanes = make_lanes(far.targets, SCRIPTS, 24, range(24))
    jobs = make_jobs(far, Path("v"), lanes)
    assert [len(job.lanes) for job in jobs] == [6] * 4
    assert max(len(job.lanes) for job in make_jobs(far, Path("v"), lanes[:8])) <= LANES_A_PROCESS


def test_lanes_begin_apart_and_a_single_one_at_once() -> None:
    delays = [lane.delay_s for lane in make_lanes(["sip:x@h"], SCRIPTS, 8, range(8))]
    assert len(set(delays)) == 8
    assert make_lanes(["sip:x@h"], SCRIPTS, 1, range(3))[0].delay_s == 0


def test_job_survives_its_way_as_json() -> None:
    account = Credentials(user="u", password="p")
    far = Far(targets=("sip:x@h",), credentials=account, register_first=True)
    job = make_jobs(far, Path("v"), make_lanes(far.targets, SCRIPTS, 2, range(4)))[0]
    assert Job.model_validate_json(job.model_dump_json()) == job
