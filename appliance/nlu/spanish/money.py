"""How an amount of money is offered in Spanish, and how currencies are written."""

from __future__ import annotations

import re

from appliance.nlu.grammar import MoneyWords

_NAMES = {
    "Dólar": ("dolar", "dolares", "$", "dollars", "bucks"),
    "Dólar estadounidense": ("dolar estadounidense", "dolares estadounidenses", "usd", "us $",
                             "u $ d", "u $ s", "dolares americanos", "dolar americano"),
    "Dólar canadiense": ("dolar canadiense", "dolares canadienses", "c $", "cad"),
    "Dólar australiano": ("dolar australiano", "dolares australianos", "aud"),
    "Dólar de Hong Kong": ("dolar de hong kong", "dolares de hong kong", "hk $"),
    "Dólar neozelandés": ("dolares neozelandeses", "nz $"),
    "Euro": ("euro", "euros", "€", "eur"),
    "Libra": ("libra", "libras", "£"),
    "Libra esterlina": ("libra esterlina", "libras esterlinas", "gbp"),
    "Yen": ("yen", "yenes", "¥"),
    "Yen japonés": ("yen japones", "yenes japoneses", "jpy"),
    "Yuan chino": ("yuan", "yuanes", "yuan chino", "yuanes chinos", "rmb", "cny"),
    "Marco finlandés": ("marco finlandes", "marcos finlandeses"),
    "Marco alemán": ("marco aleman", "marcos alemanes", "marco", "marcos"),
    "Franco suizo": ("franco suizo", "francos suizos", "chf"),
    "Franco francés": ("franco frances", "francos franceses"),
    "Franco": ("franco", "francos"),
    "Peso": ("peso", "pesos", "varo", "varos", "baro", "baros"),
    "Peso mexicano": ("peso mexicano", "pesos mexicanos", "mxn"),
    "Peso argentino": ("peso argentino", "pesos argentinos", "ars"),
    "Peso colombiano": ("peso colombiano", "pesos colombianos"),
    "Peso chileno": ("peso chileno", "pesos chilenos"),
    "Peseta": ("peseta", "pesetas"),
    "Bolívar": ("bolivar", "bolivares"),
    "Boliviano": ("boliviano", "bolivianos"),
    "Quetzal": ("quetzal", "quetzales"),
    "Lempira": ("lempira", "lempiras"),
    "Colón": ("colon", "colones"),
    "Sol": ("soles",),
    "Real": ("reales",),
    "Real brasileño": ("real brasileno", "reales brasilenos", "r $"),
    "Rublo": ("rublo", "rublos"),
    "Rupia": ("rupia", "rupias"),
    "Corona sueca": ("corona sueca", "coronas suecas"),
    "Corona danesa": ("corona danesa", "coronas danesas"),
    "Corona noruega": ("corona noruega", "coronas noruegas"),
}  # fmt: skip
_SUM = r"(monto|saldo|balance|pago|total|dinero|cantidad|deuda|cuenta)"
_PAYING = (
    r"(pag(o|ar|are|aria|ue)|mand(o|ar|are)|d(oy|ar|are)|liquid(o|ar|are)|cubr(o|ir)|hacer|hago)"
    r"(l[oae]s?)?"
)


def _share(pattern: str, share: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rf"\b(?:{pattern})\b"), share


MONEY = MoneyWords(
    units={word: name for name, words in _NAMES.items() for word in words},
    cents={"centavo": "Centavo", "centavos": "Centavo", "centimo": "Céntimo",
           "centimos": "Céntimo", "penique": "Penique", "peniques": "Penique"},
    percent=frozenset({"porciento", "%"}),
    counted=frozenset(
        {"anos", "meses", "semanas", "dias", "horas", "minutos", "hijos", "hijas", "ninos",
         "personas", "veces", "gracias", "disculpas"}
    ),
    joining=frozenset({"con", "y"}),
    decimal=frozenset({"con"}),
    vague=frozenset({"pico", "tantos", "tantas", "algo", "tanto", "y", "de", "o", "asi"}),
    ranges=frozenset({"a", "o", "y"}),
    offering=frozenset(
        {"pagar", "pago", "pague", "pagarle", "pagare", "pagaria", "dar", "darle", "doy", "si",
         "mandar", "mando", "mandarle", "abonar", "abono", "ofrecer", "ofrezco", "como", "unos",
         "solo", "solamente", "vez", "quizas", "hasta", "con", "puedo", "podria", "nomas",
         "depositar", "poner", "minimo", "maximo", "tengo", "serian", "entre", "casi", "unas",
         "menos", "digamos", "alrededor de", "cerca de", "pagos de", "pago de", "maximo de",
         "minimo de", "juntar", "aproximadamente", "doyle", "ponga", "pongale"}
    ),
    limits=frozenset({"mas de", "sobre", "arriba de", "encima de", "mayor a"}),
    sums={
        ("un", "par", "de", "cientos"): 200, ("un", "par", "de", "cienes"): 200,
        ("un", "par", "de", "miles"): 2000, ("un", "par", "de", "mil"): 2000,
        ("un", "par", "de", "dolares"): 2, ("un", "par", "de", "pesos"): 2,
    },
    hundreds_to=9,
    shares=(
        _share(r"(tres|3) cuart(os|as partes)(?! de hora)|(setenta y cinco|75) porciento",
               "three_quarters"),
        _share(r"(dos|2) ter(cios|ceras partes)", "two_thirds"),
        _share(r"(un|1) tercio|(la|una) tercera parte|tercera parte", "third"),
        _share(rf"(la|una) cuarta parte|un cuarto (de )?(del|de la|de mi|lo) ({_SUM}|que debo)"
               r"|(veinticinco|25) porciento", "quarter"),
        _share(
            r"(?<!\ba )mitad(?! del? (la )?(mes|semana|ano|camino))|medio pago"
            r"|(cincuenta|50) porciento",
            "half",
        ),
        _share(
            rf"{_PAYING} (todo|toda|completo|completa|entero)|tod[oa] (el|la) {_SUM}"
            rf"|(el|la|mi) (total|{_SUM} (total|complet[oa]|enter[oa]))|(en su|la) totalidad"
            rf"|por completo|todo lo que (le |les )?debo|{_SUM} complet[oa]"
            r"|todo (ahora|hoy|junto|completo|de una)|(cien|100) porciento",
            "full",
        ),
    ),
    asked_shares=dict.fromkeys(
        ("todo", "toda", "todito", "completo", "completa", "si todo", "todo eso", "el total",
         "total", "todo por favor", "pues todo", "entero"),
        "full",
    )
    | {"medio": "half", "media": "half", "un medio": "half", "un cuarto": "quarter",
       "tercio": "third"},
    correction=re.compile(
        r"\b(perdon|digo|mejor(?! que)|mas bien|quise decir|quiero decir|esper[ae]|disculp[ae]"
        r"|o sea|corrijo|me equivoque|mejor dicho|pongale|digamos|sino)\b|\bno ;"
    ),
)  # fmt: skip
