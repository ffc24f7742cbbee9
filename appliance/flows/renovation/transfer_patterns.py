"""What requests for somebody look like in English: patterns over plain words, as data.

`<group>` is one of GROUPS; NAME is any persona's name, WHO the one that is asked for. The words are
lower case, without marks, with short forms written out ("don't" is "do not"); ";" stands for what
was taken back. To teach it a phrase, add a line here and the phrase to the tests' table.
"""

from __future__ import annotations

GROUPS = {
    "me": "me|us|this call|the call|it|myself",
    "move": "transfer|switch|connect|put|patch|send|forward|hand|pass|move|bring|redirect|take|get",
    "talk": "talk|speak|chat|go|come|switch|return|get|change|be connected|be transferred",
    "told": "talked|spoke|spoken|talking|speaking|chatted|transferred|switched|connected|put|sent"
    "|went|gone|came|passed",
    "asking": "let me|let us|(can|could|may|might|cannot) (i|we|you)( please)?|please|you can"
    "|(i|we) (want|need|wish|have|prefer|would (like|love|prefer|rather)|should|ought)( to)?"
    "|is it possible to|how (can|do) (i|we)|why (do not|cannot) (you|i|we)",
    "back": "(back |over |off |through |on |right |straight |now |again |just |please )*",
    "end": "( please| now| again| thanks| thank you| then| okay| instead| for me| though)*",
    "lead": "((okay|ok|yes|no|oh|well|so|um|uh|and|hey|sure|please|actually|now|then) )*",
    "other": "(some ?(one|body)|any ?(one|body)) else|the other( (one|agent|assistant|person|guy"
    "|lady|woman|man|expert|specialist|half))?|another (one|agent|assistant|person|specialist"
    "|expert|colleague)|(a|some) different (one|agent|assistant|person|specialist)"
    "|your (colleague|partner|co ?worker|other half|team ?mate|buddy)",
    "person": "((a|an|the|your|some|any|real|live|actual|human|customer) )*(human|person|people"
    "|being|operator|representative|rep|agent|manager|supervisor|boss|service|someone|somebody"
    "|anyone|anybody|staff)",
    "late": "later|tomorrow|another time|next time|some other time|afterwards|in a (minute|moment)",
}

TAKEN_BACK = (
    # refused
    (
        r"(?<!why )(do|does|did|will|would|should|must|need) not (\w+ ){0,4}?(<move>|<talk>|NAME)\b"
        r"( <me>)?( (to|with|on|back|over|through))*( (NAME|<other>|\w+$))?"
    ),
    (
        r"(never|not|no (need|reason|point)|without|instead of|rather than|stop|quit|not necessary)"
        r"( (yet|to|in|being|having|want|going|ready|a))* (<move>|<talk>|<told>)(ting|ring|ing)?\b"
        r"( <me>)?( (to|with|on|back|over|through))*( (NAME|<other>))?"
    ),
    r"(not|instead of|rather than) NAME\b",
    # told: it was so, or is about somebody else
    (
        r"(?<!can )(?<!could )(?<!would )(?<!will )(?!NAME put NAME on)"
        r"(i|we|he|she|you|they|NAME|my \w+) "
        r"((have|had|has|was|were|am|are|already|just|also|been|once|even|only) )*"
        r"<told>\b( <me>)?( (to|with|on|back|over|through))*( (NAME|<other>))?"
    ),
    r"did (i|you|we|she|he|NAME)\b.*",
    # only if, or not now
    (
        r"(if|when|once|after|before|until|unless|in case|while|whenever) (i|you"
        r"|we) (<move>|<talk>)\b"
        r".*"
    ),
    r"(i|we) (will|can|could|might|may) (<move>|<talk>)\b[^;]*\b(<late>)",
    r"(can|could|may) (i|we) (<move>|<talk>)\b[^;]*\b(<late>)",
    (
        r"(?<!how )(should|do|must|would|will) (i|we) ((rather|better|need to|have to"
        r"|really) )*(<talk>|ask)\b"
        r".*"
    ),
)
"""Cut out first: what is refused, told, put off or only thought of."""

NAMED = (
    r"<move> <me> <back>(to|with|onto|on with|in touch with|from NAME to) <back>((the|that) )?WHO",
    r"<move> <me> WHO",
    r"(transfer|switch|connect|change|go|return|get|back) <back>(to|with) WHO",
    r"<asking> <back><talk> <back>((to|with) )+<back>WHO",
    r"(talk|speak|chat) (to|with) WHO<end>$",
    (
        r"(put|bring|get|give|fetch|call|have|pass) <back>(<me> )?<back>WHO( (back|on"
        r"|in|over|here|the"
        r"|line|phone))*<end>$"
    ),
    r"(i|we) (want|need|prefer|would (like|prefer|rather have)) (to have )?WHO( back| on)?<end>$",
    r"^<lead>(back |over )?(to )?WHO( please| instead| now| then)+<end>$",
    r"^<lead>(back |over )?to WHO<end>$",
    r"^<lead>WHO$",
    r"(is|can) WHO (there|available|around|free|in|come|take over)",
    r"(let|have) WHO (talk|speak|answer|take over|come|handle)",
    r"(transferring|switching|connecting|putting|handing) <me> <back>(to|with) WHO",
    r"(can|could|would) WHO (please )?help( me| us)?( with \w+)?<end>$",
    r"maybe WHO can help<end>$",
    r"(let me|let us|i (want|need|would like) to|can i|could i|i will) ask WHO( \w+)?<end>$",
    r"(question|something) (to ask |to discuss )?(for|with) WHO<end>$",
)
YOURSELF = (
    r"(transfer|switch|connect|put|patch|hand|pass) <me> <back>(to|with) you(rself)?<end>$",
)
AMBIGUOUS = (
    r"(<move>|give) <me> <back>((to|with) )?<back>(<other>)",
    r"<move> <back>(to|with) (<other>)",
    r"(<talk>|talking|speaking) <back>(to|with) (<other>)",
    r"(transfer|switch|redirect|forward|patch|hand) <me>( (over|through|on|back|across))*<end>$",
    r"(pass|hand|put|send) <me> (over|through|on|along|back|across)<end>$",
    r"connect me<end>$",
    (
        r"(switch|change|swap) (the )?(agents?|assistants?|persons?|personas?|people"
        r"|speakers?|sides"
        r"|experts?|specialists?|over)"
    ),
    r"^<lead>((can|could|you|we|i|let|us|to|want|would|like|please) )*(switch|transfer)<end>$",
    r"^<lead>((give|get|bring|put) (me )?|i (want|would like) )?(<other>)( on| back)*<end>$",
    r"(i|we) (need|want|would like)( to have)? (<other>)<end>$",
    r"<asking> (get|have|try) (<other>)<end>$",
    r"is (there )?(<other>) (there|available|around|i can (talk|speak) to)",
    r"(a|make a|do a|the) transfer<end>$",
)
UNKNOWN = (
    (
        r"(transfer|connect|switch|patch|forward|hand|pass|redirect) <me> <back>(to"
        r"|with|through to)"
        r" (?P<who>((the|your) )?\w+( (department|team|desk|office))?)"
    ),
    r"(put|send) <me> (through|on|over|back) (to|with) (?P<who>((the|your) )?\w+)",
    r"<asking> <back>(talk|speak|chat) <back>(to|with) (?P<who>\w+)<end>$",
    r"^(talk|speak|chat) <back>(to|with) (?P<who>\w+)<end>$",
    r"(put|get|bring) (?P<who>\w+) on( the (line|phone))?<end>$",
    r"(is|can i get|can i have) (?P<who>\w+) on the (line|phone)<end>$",
    r"(<asking> |^)<back>(go|switch|get) back to (?P<who>\w+)<end>$",
)
PEOPLE = r"(to|with|me|on) ((talk|speak) (to|with) )?<person><end>$"
"""A person is asked for: that is `human_request`, and no transfer to one of us."""

NO_NAMES = frozenset(
    """a an the my your his her our their this that these those him them you me us it i we he she
    someone somebody anyone anybody everyone people person human agent operator representative
    about again already anything anymore now please later with to of for and or but not no yes so
    spanish english bed work home sleep school church town court lunch dinner one two there here
    what who why when where how if do is are was be nobody customer manager supervisor real live
    actual mute hold speaker speakerphone same other another different both more some any all most
    next last first budget list plan checklist permits""".split()  # noqa: SIM905 (a list of words)
)
"""Words that follow "talk to" and are nobody's name."""

WRITTEN_OUT = (
    (r"[\u2019`]", "'"),
    (r"\bcan'?t\b|\bcan not\b", "cannot"),
    (r"\bwon'?t\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(do|did|does|is|was|would|could|should)nt\b", r"\1 not"),
    (r"'d\b", " would"),
    (r"'ll\b", " will"),
    (r"'m\b", " am"),
    (r"'ve\b", " have"),
    (r"\blet's\b", "let us"),
    (r"\bgimme\b", "give me"),
    (r"\blemme\b", "let me"),
    (r"\bwanna\b", "want to"),
    (r"\bgotta\b", "have to"),
    (r"\byou are\b|\byou're\b", "you are"),
    (r"[^a-z' ]+", " "),
    (r"'s?\b|'", " "),
    (r" +", " "),
)
"""How an utterance becomes plain words, in this order."""
