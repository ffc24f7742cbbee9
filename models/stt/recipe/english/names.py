"""First names, last names, streets and towns that the caller grammar draws from. Data only."""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

FIRST = """
james mary robert patricia john jennifer michael linda david elizabeth william barbara richard
susan joseph jessica thomas sarah charles karen christopher lisa daniel nancy matthew betty
anthony margaret mark sandra donald ashley steven kimberly paul emily andrew donna joshua michelle
kenneth carol kevin amanda brian dorothy george melissa edward deborah ronald stephanie timothy
rebecca jason sharon jeffrey laura ryan cynthia jacob kathleen gary amy nicholas angela eric
shirley jonathan anna stephen brenda larry pamela justin emma scott nicole brandon helen benjamin
samantha samuel katherine gregory christine frank debra alexander rachel raymond carolyn patrick
janet jack catherine dennis maria jerry heather tyler diane aaron ruth jose julie adam olivia
nathan joyce henry virginia douglas victoria zachary kelly peter lauren kyle christina walter joan
ethan evelyn jeremy judith harold megan keith andrea christian cheryl roger hannah noah jacqueline
gerald martha carl gloria terry teresa sean ann austin sara arthur madison lawrence frances jesse
kathryn dylan janice bryan jean joe abigail jordan alice billy julia bruce judy albert sophia
willie grace gabriel denise logan amber alan doris juan marilyn wayne danielle roy beverly ralph
isabella randy theresa eugene diana vincent natalie russell brittany elijah charlotte louis marie
bobby kayla philip alexis johnny lori carlos miguel luis ana rosa carmen elena sofia pedro diego
priya raj ahmed fatima omar wei ming yuki kenji olga ivan bob ben sam tom jim tony mike dave steve
""".split()

LAST = """
smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez
wilson anderson thomas taylor moore jackson martin lee perez thompson white harris sanchez clark
ramirez lewis robinson walker young allen king wright scott torres nguyen hill flores green adams
nelson baker hall rivera campbell mitchell carter roberts gomez phillips evans turner diaz parker
cruz edwards collins reyes stewart morris morales murphy cook rogers gutierrez ortiz morgan cooper
peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez wood james
bennett gray mendoza ruiz hughes price alvarez castillo sanders patel myers long ross foster
jimenez powell jenkins perry russell sullivan bell coleman butler henderson barnes gonzales fisher
vasquez simmons romero jordan patterson alexander hamilton graham reynolds griffin wallace moreno
west cole hayes bryant herrera gibson ellis tran medina aguilar stevens murray ford castro
marshall owens harrison fernandez mcdonald woods washington kennedy wells vargas henry chen
freeman webb tucker guzman burns crawford olson simpson porter hunter gordon mendez silva shaw
snyder mason dixon munoz hunt hicks holmes palmer wagner black robertson boyd rose stone salazar
fox warren mills meyer rice schmidt daniels ferguson nichols stephens soto weaver ryan gardner
""".split()

STREETS = """
main oak maple cedar pine elm washington lake hill walnut spring north ridge church willow mill
sunset railroad jackson river cherry highland forest jefferson lincoln franklin green madison
dogwood hickory laurel park chestnut meadow broadway center market adams birch lakeview
""".split()

STREET_KINDS = "street avenue road drive lane court boulevard way place circle".split()

TOWNS = """
springfield|franklin|clinton|madison|georgetown|salem|fairview|greenville|bristol|dover|oxford|
arlington|burlington|manchester|milton|newport|auburn|ashland|jackson|milford|riverside|
cleveland|dayton|lexington|hudson|kingston|oakland|winchester|austin|dallas|houston|denver|
phoenix|seattle|portland|boston|chicago|miami|atlanta|new york|los angeles|san diego|san francisco
""".replace("\n", "").split("|")
