import os
import socket

from appliance.checkup.finding import Status
from appliance.checkup.ports import Holder, check_address, check_ports, udp_holders


def test_holder_of_a_port_is_found() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        holder = udp_holders()["127.0.0.1", port]
    assert holder.pid == os.getpid()
    assert "py" in holder.program  # pytest, or python
    assert ("127.0.0.1", port) not in udp_holders()


def test_port_of_another_program_is_a_failure() -> None:
    held = {5060: None, 5062: Holder(7, "appliance.telephony.line"), 5064: Holder(8, "asterisk"),
            5066: Holder()}  # fmt: skip
    found = check_ports(held, "192.0.2.5")
    assert [each.status for each in found] == [Status.OK, Status.OK, Status.FAIL, Status.OK]
    assert "asterisk (process 8)" in found[2].seen
    assert "free" in found[0].seen
    assert "another user's" in found[3].seen


def test_address_of_another_machine_is_a_failure() -> None:
    assert check_address("127.0.0.1") == check_address("0.0.0.0") == []
    (found,) = check_address("192.0.2.5")
    assert found.status is Status.FAIL
