"""What a voice would read wrong in a text is read out; the text itself never changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.markup import Piece, escape, heard, parse, plain
from appliance.dialogue.readout import read_out
from appliance.dialogue.readout_en import RULES as ENGLISH
from appliance.dialogue.readout_es import RULES as SPANISH

EN = [
    ("Call 310-555-0100.", "Call three one zero, five five five, zero one zero zero."),
    ("Call (310) 555-0100 now", "Call three one zero, five five five, zero one zero zero now"),
    ("It is $49, or $1,250.50.",
     "It is forty nine dollars, or one thousand two hundred fifty dollars and fifty cents."),
    ("up to $5 million", "up to five million dollars"),
    ("from $2.5 billion on", "from two point five billion dollars on"),
    ("on Nov. 27, 2026.", "on November twenty seventh, twenty twenty six."),
    ("by May 5th", "by May fifth"),
    ("You may 5", "You may 5"),
    ("due 2026-11-27 and 1/3/2027",
     "due November twenty seventh, twenty twenty six and January third, twenty twenty seven"),
    ("in 1998", "in nineteen ninety eight"),
    ("at 5:30, not 5:00 or 17:45.", "at five thirty, not five o'clock or five forty five PM."),
    ("room 25:99", "room 25:99"),
    ("Mr. Lee, Mrs. Lee and Ms. Lee", "Mister Lee, Missis Lee and Miz Lee"),
    ("Dr. Lee lives on Oak Dr. near St. Mary's on Main St. Is it far?",
     "Doctor Lee lives on Oak Drive near Saint Mary's on Main Street. Is it far?"),
    ("by Acme Inc. Really.", "by Acme Inc. Really."),
    ("pipes, valves, etc.", "pipes, valves, et cetera."),
    ("and/or owners/renters", "and or owners or renters"),
    ("open 24/7 for 5-7 days", "open twenty four seven for five to seven days"),
    ("2 1/2 or 3/4 inches, a 2x4", "two and a half or three quarters inches, a two by four"),
    ("item #12 of No. 5", "item number twelve of number five"),
    ("ZIP code 90210, PIN and ID", "zip code nine zero two one zero, pin and ID"),
    ("case 12345678 and 0815",
     "case one two three four, five six seven eight and zero eight one five"),
    ("order 123", "order 123"),
    ("call 911 or dial 311, not unit 311",
     "call nine one one or dial three one one, not unit 311"),
    ("see www.example.com/help", "see example dot com slash help"),
    ("mail joe@gmail.com now", "mail j o e, at, gmail dot com now"),
    ("salt & pepper, R&B", "salt and pepper, R&B"),
    ("I am at a mile", "I am at a mile"),
    ("call 555-0100, +44 20 7946 0958",
     ("call five five five, zero one zero zero, plus four four, two zero, seven nine four six,"
     " zero nine five eight")),
    ("from 2019-2020", "from 2019-2020"),
    ("$5-$10, $5-10, $1.50-$2", ("five to ten dollars, five to ten dollars, one dollar and fifty"
     " cents to two dollars")),
    ("€5, 5 €, £2.01 and $.50, 20 USD", ("five euros, five euros, two pounds and one penny and"
     " fifty cents, twenty dollars")),
    ("$5/hr or $240.50/month", ("five dollars an hour or two hundred forty dollars and fifty cents"
     " a month")),
    ("Open 9:00-17:00, 9am-5pm, 9-5.",
     "Open nine AM to five PM, nine AM to five PM, nine to five."),
    ("at 8:00 AM, 5:30 p.m. on Friday", "at eight AM, five thirty PM on Friday"),
    ("by 5:30 p.m. Bye.", "by five thirty PM. Bye."),
    ("at 12 p.m. or 12:00 AM, 17:00 or 00:30",
     "at noon or midnight, five PM or twelve thirty AM"),
    ("Mon-Fri, Mon. to Wed. at 5", "Monday to Friday, Monday to Wednesday at 5"),
    ("He sat in the Sun. Fine.", "He sat in the Sun. Fine."),
    ("at 42nd St. NE, by St. Paul St.", "at 42nd Street Northeast, by Saint Paul Street."),
    ("Dr. E. Lee of Mt. Vernon", "Doctor E. Lee of Mount Vernon"),
    ("J.P. Morgan, U.S. Steel. We are in the U.S. You too?",
     "J.P Morgan, U.S Steel. We are in the U.S. You too?"),
    ("Mr. J. K. Rowling, Plan B. Next", "Mister J K Rowling, Plan B. Next"),
    ("order #12345, KX47-2, MP3",
     "order number one two three, four five, K X four seven, two, MP3"),
    ("zip code 02134-1000", "zip code zero two one three four, one zero zero zero"),
    ("Henry VIII, Part IV, in the '90s and 1980s",
     "Henry the eighth, Part four, in the nineties and nineteen eighties"),
    ("10 lb., 70°F, 60 km/h, 6' 2\", 1 kg", ("10 pounds, 70 degrees Fahrenheit, 60 kilometers per"
     " hour, 6 feet 2 inches, 1 kilogram")),
    ("open 24/7. 5 people, Apt. 4", "open twenty four seven. 5 people, apartment 4"),
    ("see https://x.io now", "see x dot io now"),
]  # fmt: skip
ES = [
    ("Llame al 310-555-0100.", "Llame al tres uno cero, cinco cinco cinco, cero uno cero cero."),
    ("Sr. Pérez vive en EE. UU. Sí.", "señor Pérez vive en Estados Unidos. Sí."),
    ("Ud. debe $1,500.50", "usted debe mil quinientos dólares con cincuenta centavos"),
    ("a las 3:30 p. m. Gracias.", "a las tres y treinta de la tarde. Gracias."),
    ("a la 1 a.m. o a las 15:30", "a la una de la madrugada o a las quince y treinta"),
    ("el 1 de mayo, 2026-11-27",
     "el primero de mayo, veintisiete de noviembre de dos mil veintiséis"),
    ("1,250 pies", "mil doscientos cincuenta pies"),
    ("2 1/2 horas, 5-7 días", "dos y medio horas, cinco a siete días"),
    ("llame al 911", "llame al nueve uno uno"),
    ("tel. 0815, ext. 12", "teléfono cero ocho uno cinco, extensión 12"),
    ("visite example.com/ayuda", "visite example punto com barra ayuda"),
    ("dueños y/o inquilinos", "dueños y o inquilinos"),
    ("al 612 345 678, 612 34 56 78 o 55 1234 5678",
     ("al seis uno dos, tres cuatro cinco, seis siete ocho, seis uno dos, tres cuatro, cinco seis,"
     " siete ocho o cinco cinco, uno dos tres cuatro, cinco seis siete ocho")),
    ("al +34 612 345 678", "al más tres cuatro, seis uno dos, tres cuatro, cinco seis, siete ocho"),
    ("www.ejemplo.es/ayuda, a 60 km/h",
     "ejemplo punto es barra ayuda, a sesenta kilómetros por hora"),
    ("Av. Juárez 21, la D. Juan y Dña. Ana, Pza. Mayor, pág. 3",
     "avenida Juárez 21, la don Juan y doña Ana, plaza Mayor, página 3"),
    ("a las 21:30, a la 1:00", "a las veintiuna y treinta, a la una en punto"),
    ("abierto 9:00-17:00, lun.-vie.", "abierto nueve a diecisiete horas, lunes a viernes."),
    ("a las 12 p. m. o 12:00 a.m.", "a las doce del mediodía o doce de la noche."),
    ("1/2 taza y 1/2 litro", "media taza y medio litro"),
    ("21 personas, 1 semana, 21 días, 31 meses, 200 casas, 11 casas",
     ("veintiuna personas, una semana, veintiún días, treinta y un meses, doscientas casas,"
     " 11 casas")),
    ("21 por ciento, 1 día, 101 noches", "21 por ciento, un día, ciento una noches"),
    ("el 3er piso, la 2ª puerta, el 1.º, n.º 8",
     "el tercer piso, la segunda puerta, el primero, número ocho"),
    ("$5-$10, 1.204,05 €, 21 €, 1 km",
     ("cinco a diez dólares, mil doscientos cuatro euros con cinco"
     " céntimos, veintiún euros, un kilómetro")),
    ("el 21/11/2026 en C/ Mayor", "el veintiuno de noviembre de dos mil veintiséis en calle Mayor"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), EN)
def test_in_english(text: str, words: str) -> None:
    speech = read_out(text, ENGLISH)
    assert (plain(speech), heard(speech)) == (text, words)


@pytest.mark.parametrize(("text", "words"), ES)
def test_in_spanish(text: str, words: str) -> None:
    speech = read_out(text, SPANISH)
    assert (plain(speech), heard(speech)) == (text, words)


@pytest.mark.parametrize("text", ["eight a m", "8 a.m.", "8am", "8 AM", "at 8 a.m. on Friday"])
def test_the_morning_is_no_article(text: str) -> None:
    """espeak says "a m" as "uh em"."""
    found = [piece for piece in parse(read_out(text, ENGLISH)) if piece.phones]
    assert [piece.phones for piece in found] == ["ˌeɪˈɛm"]


def test_a_full_stop_that_ends_the_sentence_stays_outside() -> None:
    assert read_out("Come at 5 p.m. Bye.", ENGLISH) == (
        'Come at 5 <phoneme ph="pˌiːˈɛm">p.m</phoneme>. Bye.'
    )
    assert parse(read_out("By 5 p.m. on Friday", ENGLISH))[1] == Piece("p.m.", "p.m.", "pˌiːˈɛm")


SIGNS = "aAm.p:0123456789$-/ #@,&<>[]StDrNoE€£º°h\"'()%€áñ"


@given(st.text(alphabet=SIGNS, max_size=30))
def test_any_text_stays_what_it_is(text: str) -> None:
    for rules in (ENGLISH, SPANISH):
        speech = read_out(text, rules)
        assert plain(speech) == text
        parse(speech)


def test_plain_words_get_no_marks() -> None:
    text = 'Thank you, that is "correct". I\'ll call you on Friday, November twenty seventh.'
    assert read_out(text, ENGLISH) == escape(text)
