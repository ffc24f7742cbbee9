"""Words by which the checks of the renovation flow tell what a caller means."""

from __future__ import annotations

import re

CHECKLIST = re.compile(
    r"\b(check ?list|sum(mari[sz]e)? (it |that |everything )?up|my plan|the plan so far"
    r"|on (my|the) list|what (is|do you have|have we) (still )?(missing|left|so far|noted)"
    r"|what did (alice|she) (say|tell|write)|alice'?s notes?)\b"
)
FINISHED = re.compile(
    r"\b(that ?(is|was|will be|'s|'ll be) (all|it|everything)|nothing (else|more)|no more questions"
    r"|no (more|further|other) questions|i('m| am) (done|all set|good))\b"
)
WORKERS = re.compile(r"\b(someone|somebody|a person|people|an agent) (to|who|that) (?!talk|speak)")
IT_DOES = re.compile(r"\bit (does|is)\b(?! not)")
IT_DOES_NOT = re.compile(r"\bit (does not|is not|isn't|doesn't)\b")
NOT_SURE = re.compile(r"\b(not sure|no idea|maybe|unsure|possibly)\b")
WHO = re.compile(
    r"\b(who (is|are) (alice|bob|you)|what (can|do|does) (you|bob|alice|you two) (do|know)"
    r"|what can i ask|are you (alice|bob)|who am i (talking|speaking) (to|with))\b|^help( me)?$"
)
