"""How people give their name in English."""

from __future__ import annotations

import re

from appliance.dialogue.words import ORDINAL_UNITS, TEENS, TENS, UNITS, WEEKDAYS
from appliance.nlu.contact_words import NamePatterns

NOT_NAMES = frozenset(
    """
    a about actually after again agent all already also always am an and another any anybody
    anymore anyone anything apartment appointment are as ask at avenue away back bad be because
    been before billing bot broken business but by bye call called calling can cannot change
    code come computer concern correct could course customer day did do does doing done evening
    everything exactly fine fix for from get getting give go going gone good goodbye gosh got
    had has have he heater hell hello help her here hey hi him his hold home hot house how human
    i idea if important in into is it jerk job just kind know later leak leaking leave let life
    like line live lives long look machine make manager matter matters maybe me mean might mind
    moment moving much must my name need never new nice no nobody none nope not nothing now
    number of off okay on one only operator or other our out over pardon people person phone
    please plumber private problem question ready real really remember rep repeat representative
    right road robot same say second secret see shall she should sir smell so some somebody
    someone something sorry speak speaking spell spelled stop street stuff stupid sure talk
    technician tell than thank thanks that the their them then there these they thing think this
    those time to today tomorrow too trouble try uh um under up us wait want wanted was water
    way we well were what when where which who whose why with without work working would wrong
    yeah yep yes yet you your yours zip
    absolutely circumstances deal depends doubt indeed ma'am maam neither objection objections
    perhaps possibly sir siree worries
    bathroom brother dad daughter father faucet furnace heating husband issue kitchen landlord
    mom mother next plumbing roommate sink sister son tenant toilet wife
    """.split()  # noqa: SIM905 (words are data)
) | {*UNITS, *TEENS, *TENS, *ORDINAL_UNITS, *WEEKDAYS, "hundred", "thousand"}
"""Words that are no part of a name, of those that come where one is asked for; not "will" and
"may", which are names too."""

_LEAD = (
    r"yes|yeah|yep|sure|okay|all right|of course|certainly|well|so|oh|ah|um|uh|er|hi|hello|hey|no"
    r"|it is|that is|that would be|it would be|i am|the|my|(first )?name|is|put"
    r"|under|you can put|mister|miss|missus|doctor|mr|mrs|ms|dr|please|sorry|here is|for|just|/no"
    r"|actually|full"
    r"|(you )?spell it|spelled|it is spelled"
    r"|(you can )?call me|i said|good (morning|afternoon|evening)|people call me|everybody calls me"
)
NAMES = NamePatterns(
    introduced=re.compile(
        r"^(?=\w+ \w+ speaking$)|\b(my (full |first |last )?name is|(the|his|her) name is|name is"
        r"|(^|hi |hello |yes |yeah |no )this is|you are speaking (to|with)|i go by)"
        r" (mister |miss |missus |mr |mrs |ms |doctor |dr )?"
    ),
    lead=re.compile(rf"^(({_LEAD})( |$))+"),
    tail=re.compile(
        r"( (please|thanks|thank you|speaking|here|is my name|is the name|okay"
        r"|the (second|third)))+$"
    ),
    first=re.compile(r"\b(and )?(the |my )?(first|given|christian) ?name (is )?"),
    last=re.compile(r"\b(and )?(the |my )?((last|family) ?name|surname) (is )?"),
    joined=re.compile(r"\b(hyphen|dash)\b"),
    corrections=re.compile(
        r"(?<=\w )(?<!with )(no|i mean|i meant|sorry|wait|actually|make that|correction|rather"
        r"|that is wrong)\b( (it is|that is|not \w+ but))?"
    ),
    never=NOT_NAMES,
    particles=frozenset(
        "de del della der den di da dos la las los el van von bin ibn al st y".split()  # noqa: SIM905
    ),
    hints={"with": 1, "without": 0},
    counts={"a": None, "an": None, "the": None, "just": None, "only": None, "letter": None,
            "one": 1, "two": 2, "no": 0},
    skipped=re.compile(
        r"\bwith (an )?accents?( on the \w)?\b|(?<=\w )(that is|that would be) (?=\w \w( |$))"
    ),
    after_o=frozenset(
        """
        brien brian bryan connor conner connell callaghan dell donnell donnel dowd dwyer flaherty
        gara grady hara hare hearn kane keefe keeffe leary mahony malley meara neal neil neill quinn
        reilly riley riordan rourke ryan shea sullivan toole
        """.split()  # noqa: SIM905 (words are data)
    ),
)  # fmt: skip
