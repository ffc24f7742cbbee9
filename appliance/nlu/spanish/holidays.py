"""The names of holidays in Spanish, each with its key in `appliance.dialogue.holidays`.

Patterns over normalized words, without accents. What Mexico and the United States keep on different
days ("el día del trabajo") has a key with both.
"""

from __future__ import annotations

_OF = r"(el |la )?(dia de )?"
HOLIDAYS = {
    r"(la )?(vispera de navidad|noche ?buena)": "christmas_eve",
    rf"(?<!feliz ){_OF}navidad(?! pasada)": "christmas",
    r"(la )?noche ?vieja|(el )?(31|treinta y uno) en la noche vieja": "new_years_eve",
    rf"(?<!feliz )(?<!prospero ){_OF}(ano nuevo|primero de(l)? ano)": "new_year",
    rf"{_OF}(los )?(santos )?reyes( magos)?": "kings",
    rf"{_OF}(la )?candelaria": "candlemas",
    r"(el )?dia de la constitucion": "constitution",
    rf"{_OF}san valentin|(el )?dia (de los enamorados|del amor( y la amistad)?)": "valentine",
    r"(el )?dia de los presidentes": "presidents",
    r"(el )?(dia|natalicio) de (benito )?juarez": "juarez",
    r"(el )?jueves santo": "maundy_thursday",
    r"(el )?viernes santo": "good_friday",
    r"(el )?domingo de (pascua|resurreccion)|(la )?pascua": "easter",
    r"(el )?dia del nino": "children",
    r"(el )?dia de (las madres|la madre)": "mothers_either",
    r"(el )?dia de los caidos|memorial day": "memorial",
    r"(el )?dia del? (los )?padres?": "fathers",
    r"(el )?dia de la independencia": "independence_either",
    r"(el )?dia del trabajo|(el )?dia del trabajador|labor day": "labor_either",
    r"(el )?dia de la raza|columbus day": "columbus",
    r"halloween|(la )?noche de brujas": "halloween",
    r"(el )?dia de todos los santos": "all_saints",
    r"(el )?dia de (los )?(muertos|difuntos)": "dead",
    r"(el )?dia de los veteranos": "veterans",
    r"(el )?dia de la revolucion": "revolution",
    rf"{_OF}(accion de gracias|thanksgiving)|(el )?dia de gracias": "thanksgiving",
    r"(el )?viernes negro|(el )?black friday": "black_friday",
    r"(el )?dia de la (virgen( de guadalupe)?|guadalupe)": "guadalupe",
    r"(el )?dia de los inocentes": "innocents",
}
