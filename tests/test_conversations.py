"""What counts as an address that an answer may be sent to."""

import pytest

from appliance.conversations import is_address


@pytest.mark.parametrize(
    "text", ["maria.lopez@example.com", "o'brien+work@mail.example.com", "josé@example.com", "a@b"]
)
def test_address(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "maria",
        "@example.com",
        "maria@",
        "a@b@c",
        "a@b.com, c@d.com",
        "a@b.com;c@d.com",
        "a b@c",
        "Maria <a@b.com>",
        '"a"@b.com',
        "a@[127.0.0.1]",
        "a(b)@c.com",
        "a@b.com\n",
        "a@b.com\nBcc: c@d.com",
        "\x1b[2Ja@b.com",
        "a\\@b",
        ".a@b",
        "a@.b",
        f"{'a' * 80}@b.com",
        f"a@{'b' * 200}",
    ],
)
def test_what_is_none(text: str) -> None:
    assert not is_address(text)
