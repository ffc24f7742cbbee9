"""Yes or no: the two meanings that most depend on each other, decided together.

"No, that's me" is a yes, "yeah no" is a no, "no problem" is a yes, "not sure" is neither.
"""

from __future__ import annotations

import re

from appliance.dialogue.schema import Slot
from appliance.nlu.negation import is_negated
from appliance.types import Intent

_AGREEABLE = re.compile(
    r"\b(no|not a|not any) (problem|problems|worries|worry|issue|doubt|question|trouble)"
    r"( at all)?\b"
    r"|\bwhy not\b|\bi do not (see why not|mind|disagree)\b|\bcannot (argue|complain)\b"
)
_UNSURE = re.compile(
    r"\b(i do not know|not (really )?sure|maybe|perhaps|possibly|not certain|it depends|depends|"
    r"i guess not sure|no idea|hard to say|we will see|i am not quite sure)\b"
)
_YES = re.compile(
    r"\b(yes|yeah|yea|yep|yup|yah|aye|uhhuh|sure|correct|right|absolutely|definitely|certainly"
    r"|of course|okay|all right|fine|exactly|indeed|affirmative|sure thing|you bet|you got it"
    r"|sounds? (good|fine|great|right|okay)|that works|works for me|go ahead|perfect|agreed|deal"
    r"|i guess so|i think so|i suppose so|i believe so|that is (it|true|good|okay|fine)"
    r"|i (do|can|will|am|did|agree|could)$|yes i|that would work|let us do (it|that)|please do$"
    r"|it is$|good"
    r"|that will (work|do)|why not|totally|true|gladly|i would like that|great|accurate|confirmed"
    r"|confirm|affirmitive|positive|yeap|accepted|approved|that makes sense|awesome)\b"
)
_QUALITIES = {"correct", "right", "true", "okay", "fine", "good", "great", "perfect", "accurate",
              "all right", "agreed", "confirmed", "sure"}  # fmt: skip
"""A "not" before one of these makes it a no: "I don't think that's right"."""
_ME = re.compile(
    r"\b(that is me|(this|that|it) is (he|she|him|her|me|i|myself)|speaking|it is me"
    r"|you (are|have) (speaking|talking|got|reached) (to |with )?(me|him|her)|i am (he|she|him|her)"
    r"|i am the (one|person)|you got (me|him|her)|here i am"
    r"|in person|that would be me|present)\b"
)
_NAMED = re.compile(
    r"^((yes|yeah|yep|hi|hello|no) )*this is (?!(not|no|a|an|the|my|his|her|our|your|wrong|about|it"
    r"|what|bad|good|great|nothing|too|so|very|really|just|only|personal|private|ridiculous|crazy"
    r"|stupid|harassment|fraud|illegal|spam|never|still|all|for|how|why|enough) ?)\w+( \w+)?$"
)
"""A name, probably: the rules do not know the account. A wrong guess meets the ZIP gate."""
_NOT_ME = re.compile(
    r"\b(not (speaking|me|him|her|he|she|present|myself)"
    r"|(is|am|are) not (he|she|him|her|me|speaking)"
    r"|who is (this|that|he|she|speaking|it)|who (am i|is|are you) speaking|(am i|are you) speaking"
    r"|why am i speaking|(keep|stop|not|start) speaking)\b"
)
_NO = re.compile(
    r"\b(no|nope|nah|nay|naw|negative|uhuh|not (really|today|now|right now|at all|right|correct"
    r"|true|me|him|her|he|she|possible|exactly|quite|yet|interested|necessary|okay|good|fine|this"
    r"|anymore|happening|speaking|that|at the moment|a chance|mine|for me)|i do not think so"
    r"|do not think so|i am not|it is not|that is not|this is not|he is not|she is not"
    r"|(cannot|do not|did not|would not|will not|should not)$|wrong|incorrect|never|of course not"
    r"|absolutely not|definitely not|certainly not|i disagree|that does not work|false"
    r"|no way|you are not|rather not|we are not|inaccurate|untrue|nada"
    r"|negatory|i think not|i will pass|prefer not|erroneous)\b"
)
_QUIET_YES = re.compile(
    r"\b((not|cannot|never|do not|no|is not|that is not|is that|is this|is it|if|quite|so)"
    r" (right|correct|true|okay|fine|good|sure|it is|great)|right (now|away|here|there)|good"
    r" (morning|afternoon|evening|day|night|time|luck)|(a|not|no) (good|great|right|fine)"
    r"|(i am|make|for|be|pretty) sure|what (it|that) is|who (it|that|he) is|fine print"
    r"|of course not|absolutely not|definitely not|certainly not|sure (not|about|if)|good ?bye"
    r"|all right then bye|know (it|that) is|feel(ing)? (good|fine)|okay (bye|goodbye|but)"
    r"|(so|but|and|then|well) it is|how (great|good)|too good)\b"
)
_MISHEARD = {"yas": "yes", "yess": "yes", "yeas": "yes", "yet": "yes", "yeh": "yes", "ya": "yes",
             "guess": "yes", "yesh": "yes", "jess": "yes", "know": "no", "noh": "no", "now": "no",
             "note": "no", "non": "no", "mo": "no"}  # fmt: skip
"""What a recognizer may make of a lone yes or no; trusted only where one was asked for."""


def read_polarity(text: str, slot: Slot | None) -> list[Intent]:
    """The affirmation or negation of a normalized utterance, if it has one.

    Confidence is 0.95 where the words are plain, lower where they are guessed from the context.
    """
    if slot == "yes_no" and text in _MISHEARD:
        return [_yes(0.6) if _MISHEARD[text] == "yes" else _no(0.6)]
    if _UNSURE.search(text):
        return []
    if _ME.search(_NOT_ME.sub(" ", text)) or _NAMED.search(text):
        return [_yes(0.95)]
    return _plain(text)


def _plain(text: str) -> list[Intent]:
    """Weigh the words for yes against those for no."""
    text, agreed = _AGREEABLE.subn("sure", text)
    noes = [match.start() for match in _NO.finditer(text)]
    masked = _QUIET_YES.sub(lambda match: "_" * len(match.group()), text)
    words = masked.split()
    yeses: list[int] = []
    for match in _YES.finditer(masked):
        negated = is_negated(words, masked[: match.start()].count(" "))
        (noes if negated and match.group() in _QUALITIES else yeses).append(match.start())
    if yeses and noes and not agreed:  # the last word counts: "yeah, no", "no, yes, that's right"
        return [_yes(0.75) if max(yeses) > max(noes) else _no(0.75)]
    if yeses:
        return [_yes(0.95)]
    return [_no(0.95)] if noes else []


def _yes(confidence: float) -> Intent:
    return Intent("affirmation", confidence)


def _no(confidence: float) -> Intent:
    return Intent("negation", confidence)
