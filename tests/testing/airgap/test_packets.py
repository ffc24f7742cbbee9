"""What of a capture counts as having gone elsewhere."""

from ipaddress import IPv4Address
from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.testing.airgap.packets import FIELDS, judge, parse_frames, read_capture

BOX, PBX = IPv4Address("192.0.2.2"), IPv4Address("192.0.2.1")


def line(**cells: str) -> str:
    names = [name.replace(".", "_") for name in FIELDS]
    assert set(cells) <= set(names)
    return "\t".join(cells.get(name, "") for name in names)


def udp(source: str, target: str, port: int, sender: int = 5060) -> str:
    return line(
        eth_type="0x0800", ip_src=source, ip_dst=target, ip_proto="17",
        udp_srcport=str(sender), udp_dstport=str(port),
    )  # fmt: skip


def ipv6(target: str, **cells: str) -> str:
    return line(
        eth_type="0x86dd", ipv6_src="fd5e:a17:9a9::2", ipv6_dst=target,
        **{"ipv6_nxt": "58" if "icmpv6_type" in cells else "6", **cells},
    )  # fmt: skip


def of(*lines: str):
    return judge(parse_frames(lines), BOX, PBX)


def test_sip_and_sound_between_the_two_are_allowed() -> None:
    traffic = of(
        udp("192.0.2.2", "192.0.2.1", 5060),
        udp("192.0.2.1", "192.0.2.2", 16384, sender=40000),
        line(eth_type="0x0806", arp_src_proto_ipv4="192.0.2.2", arp_dst_proto_ipv4="192.0.2.1"),
    )
    assert traffic.clean
    assert traffic.allowed == {"SIP": 1, "UDP, sound": 1, "ARP": 1}
    assert traffic.frames == 3


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (udp("192.0.2.2", "198.51.100.9", 443), "UDP 192.0.2.2 -> 198.51.100.9 port 443"),
        (udp("192.0.2.2", "255.255.255.255", 67), "UDP 192.0.2.2 -> 255.255.255.255 port 67"),
        (udp("203.0.113.5", "192.0.2.2", 5060), "UDP 203.0.113.5 -> 192.0.2.2 port 5060"),
        (
            line(eth_type="0x0806", arp_src_proto_ipv4="192.0.2.2", arp_dst_proto_ipv4="192.0.2.9"),
            "ARP 192.0.2.2 -> 192.0.2.9",
        ),
        (line(eth_type="0x86dd"), "EtherType 0x86dd"),
        (line(eth_type="0x88cc"), "EtherType 0x88cc"),
        (
            ipv6("2001:db8::7", tcp_srcport="40000", tcp_dstport="443"),
            "TCP fd5e:a17:9a9::2 -> 2001:db8::7 port 443",
        ),
        (
            ipv6("fd5e:a17:9a9::1", ipv6_nxt="17", udp_srcport="5060", udp_dstport="5060"),
            "UDP fd5e:a17:9a9::2 -> fd5e:a17:9a9::1 port 5060",
        ),
        (ipv6("ff02::1", ipv6_nxt="89"), "IP protocol 89 fd5e:a17:9a9::2 -> ff02::1"),
        (
            ipv6("2001:db8::7", icmpv6_type="128"),
            "ICMPv6 type 128 fd5e:a17:9a9::2 -> 2001:db8::7",
        ),
        (  # of a type that is the kernel's, but it would leave the link
            ipv6("2001:db8::7", icmpv6_type="135"),
            "ICMPv6 type 135 fd5e:a17:9a9::2 -> 2001:db8::7",
        ),
        (  # who says that it is a router
            ipv6("ff02::1", icmpv6_type="134"),
            "ICMPv6 type 134 fd5e:a17:9a9::2 -> ff02::1",
        ),
        (
            line(eth_type="0x0800", ip_src="192.0.2.2", ip_dst="224.0.0.1", ip_proto="2"),
            "IP protocol 2 192.0.2.2 -> 224.0.0.1",
        ),
    ],
)
def test_what_goes_elsewhere_is_found(sent: str, told: str) -> None:
    traffic = of(sent, sent)
    assert not traffic.clean
    assert traffic.outside == {told: 2}


def test_what_kernels_say_on_a_link_with_ipv6_is_told_apart() -> None:
    traffic = of(
        ipv6("ff02::16", icmpv6_type="143", ipv6_nxt="0"),  # behind a hop-by-hop header
        ipv6("ff02::2", icmpv6_type="133"),
        ipv6("ff02::1:ff00:1", icmpv6_type="135"),
        ipv6("fd5e:a17:9a9::1", icmpv6_type="136"),
        ipv6("fe80::1", icmpv6_type="136"),
    )
    assert traffic.clean
    assert traffic.kernels_own == {
        "group report": 1,
        "router solicitation": 1,
        "neighbour solicitation": 1,
        "neighbour advertisement": 2,
    }
    assert not traffic.allowed
    assert traffic.frames == 5


def test_a_look_up_by_ipv6_is_one() -> None:
    traffic = of(ipv6("ff02::fb", ipv6_nxt="17", udp_srcport="5353", udp_dstport="5353"))
    assert traffic.look_ups == {"UDP fd5e:a17:9a9::2 -> ff02::fb port 5353": 1}
    assert traffic.outside


def test_a_look_up_is_found_though_it_goes_to_the_pbx() -> None:
    traffic = of(udp("192.0.2.2", "192.0.2.1", 53, sender=40000))
    assert not traffic.clean
    assert traffic.look_ups == {"UDP 192.0.2.2 -> 192.0.2.1 port 53": 1}
    assert not traffic.outside
    assert traffic.frames == 1


def test_a_look_up_elsewhere_counts_as_both() -> None:
    traffic = of(udp("192.0.2.2", "198.51.100.53", 53, sender=40000))
    assert traffic.look_ups
    assert traffic.outside
    assert traffic.frames == 1


def test_a_connection_is_told_with_its_port() -> None:
    traffic = of(
        line(
            eth_type="0x0800",
            ip_src="192.0.2.2",
            ip_dst="198.51.100.7",
            ip_proto="6",
            tcp_srcport="40000",
            tcp_dstport="443",
        )
    )
    assert traffic.outside == {"TCP 192.0.2.2 -> 198.51.100.7 port 443": 1}


def test_lines_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="3 fields where 14"):
        list(parse_frames(["a\tb\tc"]))


def test_a_capture_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.pcapng").write_bytes(b"no capture")
    with pytest.raises(ConfigError, match="tshark"):
        list(read_capture(tmp_path / "x.pcapng"))
