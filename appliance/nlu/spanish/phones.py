"""How telephone numbers and e-mail addresses are said in Spanish."""

from __future__ import annotations

import re

from appliance.nlu.contact_words import EmailWords, PhoneWords
from appliance.nlu.english.phones import HOSTS, WHOLE

PHONES = PhoneWords(
    between=re.compile(
        r"\b(con )?(el |la )?(codigo|clave|lada|prefijo)( de area| de(l)? pais| es)*\b"
        r"|\b(el|mi) (resto|numero|telefono|celular)( es)?\b|\b(y )?(luego|despues)\b"
        r"|\bparentesis\b"
    ),
    plus=re.compile(r"\b(mas|signo mas|plus)\b"),
    extension=re.compile(r"\b(extension|ext|x|interno|anexo)( es| numero)?\b"),
    rounded={
        "cien": "uno cero cero", "doscientos": "dos cero cero", "trescientos": "tres cero cero",
        "cuatrocientos": "cuatro cero cero", "quinientos": "cinco cero cero",
        "seiscientos": "seis cero cero", "setecientos": "siete cero cero",
        "ochocientos": "ocho cero cero", "novecientos": "nueve cero cero",
    },
    correction=re.compile(
        r"\b(no( ;)?|perdon|digo|quise decir|disculpe|espere|mejor dicho|corrijo|me equivoque"
        r"|empiezo de nuevo)(?= |$)"
    ),
    regions=("US", "MX"),
)  # fmt: skip

_HOSTS = {
    "ge mail": "gmail", "jimeil": "gmail", "yimeil": "gmail", "jotmail": "hotmail",
    "jot mail": "hotmail", "yaju": "yahoo", "yahu": "yahoo", "autluk": "outlook",
    "ai cloud": "icloud", "ce o eme": "com", "com punto eme equis": "com.mx", "eme equis": "mx",
}  # fmt: skip
_SIGNS = {
    "punto": ".", "guion bajo": "_", "guion abajo": "_", "raya abajo": "_", "raya baja": "_",
    "raya al piso": "_", "barra baja": "_", "subguion": "_", "guion": "-", "guion medio": "-",
    "guion en medio": "-", "menos": "-", "mas": "+", "signo mas": "+", "dot": ".",
    "underscore": "_",
}  # fmt: skip
EMAILS = EmailWords(
    at=frozenset({"arroba", "@", "at"}),
    signs={tuple(said.split()): sign for said, sign in _SIGNS.items()},
    nothing=re.compile(
        r"\b(tod[oa] (junto|pegado|seguido)|(en )?una sola palabra|sin espacios?|junto"
        r"|(todo |con |en )*minusculas?|mayuscula|(el |los )?numeros?|(la )?letra|luego|eh)\b"
    ),
    spelled=re.compile(r"\b((que )?se (escribe|deletrea)|deletreado|o sea|es decir)\b"),
    begins=frozenset(
        """
        a al anote apunte anotelo apuntelo escribalo aqui bueno claro con correo direccion
        electronico el email es ese esta este gracias hola la le lo mail mande
        mandelo me mi no ok para perdon por pues que seria
        si sera su tengo un yo digo favor escriba escribame electronica ;
        """.split()  # noqa: SIM905 (words are data)
    ),
    hosts={tuple(said.split()): written for said, written in _HOSTS.items()} | HOSTS,
    whole=WHOLE,
)
