"""What Spanish-speaking callers of the flows say, as small grammars that multiply out.

As `phrases` in English: ``[a|b|]`` choices (an empty one leaves the words out) and ``{slot}``.
"""

# ruff: noqa: E501, SIM905  (one pattern a line; lists of words are data)

from __future__ import annotations

YES_NO = """
sí
no
sí|sí|claro|correcto|exacto|bueno|está bien|okey|de acuerdo|por supuesto|así es|ajá|eso es|cómo no
no|no|para nada|nunca|nada|ahora no|todavía no|no no|jamás|ni modo|de ninguna manera|negativo|afirmativo
sí [soy yo|señor|señora|señorita|por favor|gracias|claro|puedo|quiero|está bien|correcto|así es|lo es|con él habla|con ella habla]
no [gracias|señor|señora|señorita|soy yo|puedo|quiero|es correcto|es cierto|está bien|por favor|es así|lo sé]
[sí|claro|bueno|okey|ajá|ándale|órale|sale|dale|vale] [está bien|de acuerdo|perfecto|claro|sí|por favor|gracias|adelante|eso es]
[claro|por supuesto|desde luego|obvio|seguro] [que sí|que no]
[sí|no|claro|eh|este|pues|mmm|bueno] [sí|no|creo que sí|creo que no|tal vez|no sé|la verdad no|la verdad sí]
[creo|pienso|supongo|yo creo|me parece|espero] que [sí|no]
[eso|así|todo] [es|está] [correcto|bien|mal|incorrecto|equivocado|perfecto]
[es|está|no es|no está] [correcto|cierto|bien|verdad|mal|así]
[sí|no|] [esa|ese] [es|no es|soy yo|no soy yo] [mi dirección|mi número|mi nombre|mi fecha|]
[tal vez|quizás|puede ser|a lo mejor|más o menos|depende|no estoy seguro|no estoy segura|no sé]
[no|perdón|lo siento] [está equivocado|número equivocado|se equivocó|no es aquí|no soy esa persona]
[bueno|hola|aló|diga|dígame|sí diga|mande|qué tal] [buenos días|buenas tardes|buenas noches|quién habla|]
[así|tal] [es|cual|mero] [sí|]
[me parece|suena] [bien|perfecto|muy bien|mal]
"""

NAMES = """
[soy|habla|mi nombre es|me llamo|es|yo soy|le habla|aquí habla|sí soy|a nombre de] {first} [{last}|{last} {last}|]
{first} {last}
{first} {last} {last}
{first}
{first} {first} {last}
mi apellido es {last}
[el apellido|apellido] [es|] {last} [{last}|]
[no|] [{first} no está|no está {first}|{first} no vive aquí|{first} ya no vive aquí|aquí no hay ningún {first}|no conozco a {first}]
[sí|] [con {first}|con {first} {last}|él es {first}|soy la esposa de {first}|soy el hermano de {first}|soy la hija de {first}]
[quiero|puedo|quisiera] hablar con {first} [{last}|] [por favor|]
[se escribe|se deletrea|mi apellido se escribe] {letters}
{letters}
[comuníqueme|páseme] con {first} [{last}|] [por favor|]
[señor|señora|don|doña] {first} [{last}|]
"""

ADDRESS = """
[vivo en|es|mi dirección es|estoy en|la dirección es|] {street_kind} {street} [número|] {house}
{street_kind} {street} {house} [apartamento|departamento|interior|unidad] {small}
{house} {street_kind} {street}
{house} de la {street_kind} {street} [en {town}|]
[vivo en|es|] {house} {street_kind} {street} {town}
{street_kind} {street} [esquina con|entre] {street}
[vivo en|soy de|estoy en|] {town}
[mi correo es|es|] {first} [punto|guion|guion bajo|] {last} [{small}|] arroba {host}
"""

CALL = """
[puedo|quiero|voy a|le puedo] pagar {sum} [{date}|el resto {date}|al mes|por semana|]
[le pago|le mando el dinero|hago el pago|le deposito] {date}
[llámeme|hábleme|márqueme|llame] [{date}|después de {time}|{time}|más tarde|en un rato|luego]
[quiero|necesito|quisiera] [una cita|hacer una cita|agendar una visita|que venga alguien] [{date}|{date} {time}|lo antes posible|]
[puede|pueden] venir {date} [{time}|]
[puedo|quiero|tengo que] [cambiar|cancelar|mover|confirmar] mi cita [{date}|para {date}|]
[tiene|hay] [lugar|algo disponible|espacio|citas] {date} [{time}|]
mi presupuesto es [de|como de|de unos] {sum}
[la casa|el edificio] [se construyó|es] [de|en] mil novecientos {tens}
[el cuarto|la cocina|el baño] mide {small} por {small} [pies|metros|]
[ya pagué|pagué|mandé el pago|deposité] [{sum}|] {date}
[nací|mi fecha de nacimiento es|mi cumpleaños es] [el|] {date}
[ponga|apunte|anote] [el número|] {digits}
[quiero|necesito|me urge|busco] {noun} [{adjective}|para {noun}|] [por favor|ya|hoy|]
[mi|el|la|un|una|este|esta] {noun} [está|es|se ve|no está] [muy|un poco|] {adjective}
[no|ya no] [tengo|encuentro|quiero|necesito|uso] [el|la|mi|ningún|ninguna] {noun}
[dónde|cuándo|cómo|por qué] [está|queda|llega|funciona|cambió] [el|la|mi] {noun}
{small} {noun}
"""

NOUNS = """
casa cocina baño techo sótano garaje puerta ventana piso pared escalera jardín patio cuarto sala
recámara llave tubería fuga agua luz gas calentador calefacción aire estufa horno refrigerador
lavadora secadora lavabo inodoro regadera drenaje cable enchufe foco plomero electricista técnico
contratista pintura azulejo madera cemento permiso plano presupuesto factura recibo pago cuenta
deuda saldo interés cargo tarjeta banco cheque depósito préstamo crédito abogado carta correo
mensaje teléfono celular número dirección código cita hora día semana mes año quincena trabajo jefe
patrón empleo sueldo solicitud documento papel licencia pasaporte seguro identificación firma
contrato acuerdo plan oferta descuento promoción precio costo servicio producto empresa compañía
oficina tienda mercado escuela hospital doctor enfermera farmacia medicina policía bombero iglesia
familia esposo esposa hijo hija madre padre mamá papá hermano hermana abuelo abuela niño niña
vecino vecina amigo amiga señor señora señorita joven perro gato carro camión llanta gasolina calle
ciudad estado país frontera viaje vuelo maleta comida pan leche carne pollo arroz frijol tortilla
café azúcar sal fruta manzana naranja plátano ropa zapato camisa pantalón vestido dinero dólar peso
problema pregunta respuesta ayuda favor verdad mentira error queja razón idea vida muerte salud
mano cabeza ojo pie espalda corazón sangre dolor fiebre gripe sol lluvia nieve viento calor frío
""".split()

ADJECTIVES = """
bueno buena malo mala grande pequeño pequeña chico chica nuevo nueva viejo vieja largo corto alto
alta bajo baja caliente frío fría rápido lento temprano tarde fácil difícil limpio limpia sucio
sucia seco seca mojado mojada lleno llena vacío vacía caro cara barato barata libre ocupado ocupada
callado ruidoso claro oscuro pesado ligero fuerte débil triste feliz enojado enojada cansado cansada
enfermo enferma listo lista roto rota abierto abierta cerrado cerrada seguro peligroso cierto falso
rico pobre amable grosero raro sencillo distinto importante posible imposible serio bonito feo
grueso ancho dulce blanco blanca negro negra rojo roja azul verde amarillo gris descompuesto urgente
""".split()

FILLERS = "eh|este|pues|bueno|mire|a ver|oiga|ah|sí|no|hola|mmm|o sea|entonces|perdón|fíjese".split(
    "|"
)
TAILS = "por favor|gracias|sí|no|verdad|señorita|señor|ahorita|pues|creo|nada más|joven".split("|")
