import pytest

from appliance.nlu.introductions import introduced


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("my name is wilhelmina featherstone and my sink is leaking", "Wilhelmina Featherstone"),
        ("this is maria lopez speaking", "Maria Lopez"),
        ("yes please this is Maria Lopez speaking", "Maria Lopez"),
        ("no i'm maria lopez", "Maria Lopez"),
        ("my name's maria", "Maria"),
        ("sí, por favor, soy guadalupe ortiz", "Guadalupe Ortiz"),
        ("me llamo guadalupe ortiz", "Guadalupe Ortiz"),
        ("i live at twelve thirty four juniper avenue", "1234 Juniper Avenue"),
        ("i need somebody at 12 oak street", "12 Oak Street"),
        ("vivo en la calle juárez 25", "Calle Juárez 25"),
    ],
)
def test_what_is_introduced_is_known_though_nobody_asked(text: str, given: str) -> None:
    assert given in introduced(text)


@pytest.mark.parametrize(
    "text",
    ["yes", "this is important to me", "i'm interested", "this is she", "i pay on friday",
     "this is the third time i call", "it's twelve dollars",
     "i'm having trouble with my sink", "it's the kitchen sink", "i think this is it",
     "soy yo", ""],
)  # fmt: skip
def test_what_is_none_is_not(text: str) -> None:
    assert introduced(text) == ()
