"""Vectors of the RFCs, and challenges that cannot be answered."""

import pytest

from appliance.testing.digest import Credentials, answer_challenge, authorize, parse_challenge
from appliance.testing.sip import SipRequest, SipResponse

MUFASA = Credentials(user="Mufasa", password="Circle of Life")
RFC7616 = (
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm={}, '
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", '
    'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
)
CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_vectors_of_rfc_7616(algorithm: str, response: str) -> None:
    challenge = parse_challenge(RFC7616.format(algorithm))
    value = authorize(challenge, MUFASA, "GET", "/dir/index.html", CNONCE)
    assert f'response="{response}"' in value
    assert "qop=auth, nc=00000001" in value
    assert challenge.opaque is not None
    assert f'opaque="{challenge.opaque}"' in value


def test_without_qop_as_in_rfc_2069() -> None:
    """RFC 2069, section 2.4, with the response of its erratum 749."""
    challenge = parse_challenge(
        'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", '
        'opaque="5ccc069c403ebaf9f0171e9517f40e41"'
    )
    mufasa = Credentials(user="Mufasa", password="CircleOfLife")
    value = authorize(challenge, mufasa, "GET", "/dir/index.html")
    assert 'response="1949323746fe6a43ef61f9606e7febea"' in value
    assert "qop" not in value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('Basic realm="x"', "only Digest"),
        ('Digest realm="x"', "realm and nonce"),
        ('Digest realm="x", nonce="y", algorithm=SHA-512-256', "SHA-512-256 is not supported"),
        ('Digest realm="x", nonce="y", qop="auth-int"', "auth-int is not supported"),
    ],
)
def test_challenge_that_cannot_be_answered(value: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_challenge(value)


def _refusal(code: int, *headers: tuple[str, str]) -> SipResponse:
    return SipResponse(code, "Unauthorized", headers)


def test_first_challenge_that_can_be_answered_is() -> None:
    request = SipRequest("INVITE", "sip:200@192.0.2.5", ())
    refusal = _refusal(
        407,
        ("Proxy-Authenticate", 'Digest realm="a", nonce="n", algorithm=SHA-512-256'),
        ("Proxy-Authenticate", 'Digest realm="b", nonce="n", algorithm=MD5'),
    )
    name, value = answer_challenge(request, refusal, MUFASA)
    assert name == "Proxy-Authorization"
    assert 'realm="b"' in value
    assert 'uri="sip:200@192.0.2.5"' in value


def test_refusal_without_challenge() -> None:
    request = SipRequest("REGISTER", "sip:192.0.2.5", ())
    with pytest.raises(ValueError, match="401 without WWW-Authenticate"):
        answer_challenge(request, _refusal(401), MUFASA)


def test_password_is_not_shown() -> None:
    assert "Circle" not in repr(MUFASA)
