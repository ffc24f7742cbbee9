from appliance.health.readiness import Readiness


def test_a_box_begins_as_one_that_loads() -> None:
    assert list(Readiness().reasons) == ["loading"]


def test_reasons_come_and_go_one_by_one() -> None:
    readiness = Readiness()
    readiness.release("loading")
    assert not readiness.reasons
    readiness.hold("disk_full", "3 MiB are free")
    readiness.hold("draining", "told to end")
    assert readiness.reasons == {"draining": "told to end", "disk_full": "3 MiB are free"}
    assert list(readiness.reasons) == ["draining", "disk_full"]
    readiness.set("disk_full", "")
    readiness.release("no_line")  # it was none
    assert list(readiness.reasons) == ["draining"]
    readiness.set("draining", "again")
    assert readiness.reasons == {"draining": "again"}
