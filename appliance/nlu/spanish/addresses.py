"""How a street address is said in Spanish, and an American one by those who speak it."""

from __future__ import annotations

import re

from appliance.nlu.contact_words import AddressWords
from appliance.nlu.english.addresses import ADDRESSES as ENGLISH

_NO_STREET = frozenset(
    """
    a ahi ahora al aqui asi bueno calor casi cerca claro codigo como con correcto creo cual cuando
    dia dias dice digo dolares donde e en entre eh es esa ese eso esquina esta este frente fuga
    gracias hay hora horas hoy le les lo luego manana mas me mi mil minutes minutos nada necesito
    no nos o ok para perdon pero por porque postal problema pues que quiero se semanas si sin soy su
    telefono tengo tiene tu u un una ; veces vivo vivimos y ya yo zip nombre llamo
    """.split()  # noqa: SIM905 (words are data)
)
ADDRESSES = AddressWords(
    kinds={word: kind for word, kind in ENGLISH.kinds.items() if word not in ("way", "place")},
    leading={
        "calle": "Calle", "avenida": "Avenida", "av": "Avenida", "ave": "Avenida",
        "bulevar": "Bulevar", "boulevard": "Bulevar", "blvd": "Bulevar", "calzada": "Calzada",
        "camino": "Camino", "carretera": "Carretera", "callejon": "Callejón",
        "cerrada": "Cerrada", "privada": "Privada", "paseo": "Paseo", "plaza": "Plaza",
        "andador": "Andador", "circuito": "Circuito", "prolongacion": "Prolongación",
        "pasaje": "Pasaje", "jiron": "Jirón", "carrera": "Carrera", "transversal": "Transversal",
        "diagonal": "Diagonal", "ronda": "Ronda", "travesia": "Travesía",
    },
    units={
        "interior": "Interior", "int": "Interior", "apartamento": "Apartamento",
        "apto": "Apartamento", "departamento": "Departamento",
        "depto": "Departamento", "piso": "Piso", "local": "Local", "oficina": "Oficina",
        "casa": "Casa", "edificio": "Edificio", "torre": "Torre", "puerta": "Puerta",
        "lote": "Lote", "manzana": "Manzana", "unidad": "Unidad", "suite": "Suite",
        "apartment": "Apartment", "apt": "Apartment", "unit": "Unit",
    },
    floors=frozenset({"piso"}),
    districts={
        "colonia": "Colonia", "col": "Colonia", "barrio": "Barrio",
        "fraccionamiento": "Fraccionamiento", "fracc": "Fraccionamiento",
        "urbanizacion": "Urbanización", "residencial": "Residencial", "sector": "Sector",
        "delegacion": "Delegación", "reparto": "Reparto",
    },
    numbered=frozenset({"numero", "num", "nro", "exterior"}),
    signs=re.compile(r"\b(?:no|num|núm|nro)\.\s*(?=\d)|#\s*(?=\d)", re.IGNORECASE),
    between=frozenset({"de", "la", "el", "del", "en", "sobre"}),
    unnumbered=(re.compile(r"\b(sin numero|s n)\b"), "S/N"),
    boxes=(re.compile(r"\b(apartado postal|casilla( postal)?|p ?o box)\b"), "Apartado Postal"),
    ordinals={
        "primer": "1er", "segundo": "2do", "tercer": "3er", "cuarto": "4to", "quinto": "5to",
        "sexto": "6to", "septimo": "7mo", "octavo": "8vo", "noveno": "9no", "decimo": "10mo",
    },
    particles=frozenset({"de", "la", "las", "los", "el", "del", "y"}),
    never=_NO_STREET,
)  # fmt: skip
