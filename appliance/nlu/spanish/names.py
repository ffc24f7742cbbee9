"""How people give their name in Spanish: with two family names, and with particles."""

from __future__ import annotations

import re

from appliance.dialogue.words_es import (
    HUNDRED_VALUES,
    MONTHS,
    TEEN_VALUES,
    TENS_VALUES,
    UNIT_VALUES,
    WEEKDAYS,
)
from appliance.nlu.contact_words import NamePatterns

NOT_NAMES = frozenset(
    """
    a abuela abuelo adios agua ahora ahorita algo alguien alli alo amiga amigo antes apellido
    aqui asi aunque ayer ayuda bien boiler bomba bueno buena buenas buenos cada calentador
    cambiar cancelar casa cita ciudadana ciudadano claro cliente cobrador codigo comadre como
    compadre completo con conmigo correcto correo cosa cual cuando cuanto cuenta da deber decir
    deja dejar deje demasiado desde despues deuda dia dias diferente digo dinero direccion donde
    duena dueno el ella ellos en encargada encargado entonces era es esa escribe ese eso esposa
    esposo esta estaba estamos estan estar este esto estoy eres espanol exacto familia favor fue
    fuga gas gente gracias gusto ha habla hablar hablando hablo hace hacer hacia hago hasta hay
    he hermana hermano hija hijo hola hombre hora hoy igual importa importante ingles jefe jovencita
    le les lo luego llama llamada llamadas llamame llamando llame llamo llego madre mama
    mal manana mande manera mas marido maquina me medio mejor menos mes mi mientras mio mira mire
    mis misma mismo molesta momento mucho mujer muy nada nadie necesito ni ningun ninguna no nombre
    nos nosotros novia novio nuera nuestra nueva nuevo numero nunca o ocupada ocupado oiga ok otra
    otro padre pagar pago papa para parece pareja pasa pensionada pensionado pequeno pero perdon
    persona plomero poco podria por porque pregunta preguntar primo problema puede puedo pues que
    quien quiere quiero quizas razon repita residente robot saber sabe se secreta secretaria
    secreto senor senora senorita ser seria si siempre sin sobre sobrina sobrino sola solo son
    soy su suegra suegro sus tal tambien tampoco tan tarde te telefono temprano tengo ti tia tiene
    tio toda todavia todo tras tu tus ud un una uno usted ustedes va vamos varias veces vecina
    vecino ven ver verdad vete vez viene vive vivo voy ya yerno yo
    clienta inquilina inquilino propietaria propietario bano cocina fregadero llave tuberia
    """.split()  # noqa: SIM905 (words are data)
) | {
    *UNIT_VALUES, *TEEN_VALUES, *TENS_VALUES, *HUNDRED_VALUES, *WEEKDAYS, *MONTHS, "mil",
    "calle", "avenida", "colonia", "apartamento", "departamento",
} - {"abril", "julio", "marzo"}  # fmt: skip
"""Words that are no part of a name; "abril" and "julio" are names too."""

_TITLE = (
    r"(el |la )?(se[nñ]or(a|ita)?|don|do[nñ]a|doctora?|licenciad[oa]|ingenier[oa]|profesora?"
    r"|maestr[oa]|sr|sra|srta|dr|dra|lic|ing) "
)
_LEAD = (
    r"si|claro( que si)?|por supuesto|pues|bueno|este|eh|ah|mm|ok|hola|alo|buenas( tardes| noches)?"
    r"|buenos dias|no ;|no|;|/no|soy|yo soy|es|seria|habla|le habla|me llamo"
    r"|mi nombre( completo)? es|(el |mi )?nombre( es)?|a nombre de|esta a nombre de|ponga"
    r"|pongal[oa]|pongal[oa] a nombre de|aqui|con|de parte de|se llama|mire|a ver"
    r"|perdon|digo|anote|se escribe|dicen|con gusto"
)
NAMES = NamePatterns(
    introduced=re.compile(
        r"(\b(me llamo|mi nombre( completo)? es|(el|su) nombre es|(esta )?a nombre de|de parte de"
        r"|le habla|se llama)|^(no|si|claro|hola|alo|buenas|buenas tardes|buenos dias|yo|pues"
        rf"|bueno|eh|;| )*\b(soy|habla|aqui)) (?=\w)({_TITLE})?"
    ),
    lead=re.compile(rf"^((({_LEAD})( |$))|{_TITLE})+"),
    tail=re.compile(
        r"( (por favor|gracias|para servirle|a (sus|tus) ordenes|a la orden|es mi nombre|ok|habla"
        r"|al habla|servidora?|nada mas))+$"
    ),
    first=re.compile(r"\b(y )?((el|mi|de) )?(primer |segundo )?nombres? (es )?"),
    last=re.compile(
        r"\b(y )?(((el|los|mi|mis|de|con) )*(primer |segundo )?apellidos?"
        r"( (paterno|materno|de soltera|de casada))?) (es |son )?"
    ),
    joined=re.compile(r"\bguion\b"),
    corrections=re.compile(
        r"(?<=\w )(no ;|no|perdon|digo|quise decir|mejor dicho|corrijo|disculpe)(?= )( (es|con))?"
    ),
    never=NOT_NAMES,
    particles=frozenset(
        {"de", "del", "la", "las", "los", "y", "e", "van", "von", "der", "den", "dos", "da", "di"}
    ),
    hints={"con": 1, "sin": 0},
    counts={"la": None, "una": 1, "un": None, "letra": None, "solo": None, "sola": None, "dos": 2},
    skipped=re.compile(r"\bcon (acento|tilde|mayuscula)( en la \w)?\b"),
    after_o=frozenset(
        {"brien", "connor", "donoju", "farrill", "gorman", "higgins", "reilly", "hara"}
    ),
    most=6,
)  # fmt: skip
