"""Names, streets, towns and letters that Spanish-speaking callers say. Data only."""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

FIRST = """
maría josé juan luis carlos ana rosa carmen elena sofía pedro diego miguel jorge antonio francisco
manuel jesús alejandro ricardo fernando eduardo roberto javier daniel rafael sergio arturo raúl
enrique héctor óscar víctor rubén andrés pablo ernesto alfredo gerardo armando guillermo gustavo
felipe martín mario julio césar hugo iván ramón alberto ángel gabriel ignacio salvador tomás
esteban rodrigo emilio joaquín cristian mauricio marcos mateo santiago sebastián nicolás leonardo
israel adrián abel agustín benjamín camilo darío efraín fabián fidel germán gilberto heriberto
isidro ismael jaime joel leonel lorenzo marcelo moisés noé octavio osvaldo pascual ramiro reynaldo
rigoberto rogelio rolando saúl simón ulises vicente wilmer xavier guadalupe juana margarita
verónica patricia alejandra gabriela adriana claudia leticia silvia martha marta teresa yolanda
lucía laura sandra mónica diana cecilia beatriz isabel alicia gloria irma norma luz blanca estela
esperanza dolores consuelo graciela raquel rebeca susana lourdes maribel marisol miriam natalia
olga paola pilar rocío ruth sara valentina valeria vanessa viviana ximena yesenia daniela camila
andrea angélica araceli brenda carolina catalina cristina débora eva fernanda fabiola inés irene
jacqueline jazmín jimena karina karla liliana lorena magdalena maritza mercedes micaela mirna
nancy nidia noemí nora perla ramona reina renata sonia soledad tania victoria zoila pepe paco lupe
lalo chuy beto toño nacho memo quique concha chela lola maite alicia bob michael jennifer kevin
""".split()

LAST = """
garcía rodríguez martínez hernández lópez gonzález pérez sánchez ramírez torres flores rivera gómez
díaz cruz reyes morales gutiérrez ortiz ramos ruiz álvarez mendoza castillo jiménez moreno romero
herrera medina aguilar vargas castro fernández guzmán muñoz rojas salazar soto delgado vásquez
vázquez contreras guerrero sandoval estrada silva méndez núñez peña rosales juárez domínguez ortega
santiago espinoza espinosa ríos valdez vega campos fuentes cabrera molina pacheco padilla serrano
carrillo acosta figueroa luna navarro ayala solís miranda maldonado cárdenas cervantes velázquez
lara ibarra mejía orozco rangel trujillo zamora zavala villarreal bautista ochoa barrera montoya
ávila marín salinas cortés cortez rosario alvarado suárez duran durán arias benítez bravo bernal
cisneros corona escobar gallegos galván leiva león macías meza murillo nava olivares palacios
paredes pineda ponce quintero robles rocha rosas rubio salas tapia tovar trejo valencia varela
velasco vera villanueva zapata zúñiga arroyo aguirre alfaro barrios blanco calderón camacho cano
cordero córdova correa duarte enríquez esquivel franco guerra lozano lugo magaña montes mora osorio
parra portillo prado santana santos segura toledo uribe valle villa vigil smith johnson miller
""".split()

STREETS = (
    """
roble|pino|olmo|central|principal|washington|juárez|hidalgo|morelos|madero|reforma|del sol
de las flores|de la luna|san juan|san josé|santa ana|santa maría|la paz|libertad|independencia
revolución|cinco de mayo|dieciséis de septiembre|colón|bolívar|san martín|benito juárez|los pinos
los olivos|las palmas|del río|del lago|norte|sur|la esperanza|las rosas|los álamos|magnolia|maple
lincoln|jefferson|jackson|franklin|madison|broadway|main|oak|cedar|park|lake|hill|sunset|el camino
real|constitución|zaragoza|allende|guerrero|victoria|progreso|del bosque|la loma|el mirador|cedro
""".strip()
    .replace("\n", "|")
    .split("|")
)

STREET_KINDS = "calle avenida calle avenida bulevar camino privada callejón carretera paseo".split()

TOWNS = (
    """
los ángeles|san diego|san antonio|houston|dallas|miami|phoenix|chicago|nueva york|el paso|laredo
tucson|las vegas|sacramento|san josé|santa ana|fresno|denver|austin|orlando|tampa|san francisco
méxico|monterrey|guadalajara|tijuana|puebla|el salvador|guatemala|honduras|nicaragua|colombia
venezuela|cuba|puerto rico|santo domingo|perú|ecuador|argentina|chile|bolivia|texas|california
florida|arizona|nevada|oaxaca|michoacán|jalisco|veracruz|chihuahua|sinaloa|long beach|anaheim
""".strip()
    .replace("\n", "|")
    .split("|")
)

LETTERS = (
    (
        "a be ce de e efe ge hache i jota ka ele eme ene eñe o pe cu erre ese te u uve equis ye "
        "zeta ve doble_u i_griega be_grande ve_chica doble_ve"
    )
    .replace(" ", "|")
    .replace("_", " ")
    .split("|")
)

MAIL_HOSTS = "gmail punto com|hotmail punto com|yahoo punto com|outlook punto com|icloud punto com"
