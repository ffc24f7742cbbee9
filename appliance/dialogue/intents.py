"""The intents that flows may route on and understanding may report: one list for both.

A flow that names another intent does not load, so a misspelt route cannot go unnoticed.
"""

from __future__ import annotations

ROBOT_QUESTION = "robot_question"
"""Every flow must answer this one truthfully."""

INTENTS: dict[str, str] = {
    "affirmation": "yes, right, that is me",
    "negation": "no, that is not right",
    "stop_request": "stop calling, take me off your list",
    "human_request": "let me speak to a person",
    "goodbye": "bye, I am hanging up",
    "wrong_party": "wrong number, nobody of that name here",
    "not_available": "the person exists here but cannot come to the telephone",
    "wait_request": "one moment, I will get her",
    "busy": "not a good time, I am driving",
    "callback_request": "call me back later",
    "dispute": "that is not my debt, I do not owe this",
    "already_paid": "I have paid that",
    "hard_refusal": "I will never pay",
    "cannot_pay": "I have no money, I lost my job",
    "promise": "I can pay, I will send it",
    "repeat_request": "say that again",
    "robot_question": "are you a machine",
    "identity_question": "who is this, what is it about",
    "why_question": "why do you need that",
    "creditor_question": "who do I owe, how much is it",
    "refuse_information": "I will not tell you that",
    "does_not_know": "I do not know, I forgot",
    "greeting": "hello",
    "spanish_request": "do you speak Spanish, en español por favor",
    "english_request": "in English please",
    "angry": "this is outrageous, you people are scum",
    "thanks": "thank you, that is kind",
    "filler": "um, well",
    # Campaign: how a caller takes an offer, besides yes and no.
    "interested": "I am interested, that sounds interesting",
    "not_interested": "I am not interested, I do not want it",
    "uncertain": "maybe, I have to think about it, tell me more",
    "objection": "that is too expensive, I already have one",
    # Booking: why somebody calls a service company, and what it must never miss.
    "emergency": "I smell gas, there is a fire, the carbon monoxide alarm is going off",
    "all_clear": "no, nothing like that, everybody is safe",
    "service_request": "I need a plumber, can somebody come out",
    "trouble": "my water heater is leaking, we have no heat",
    "sales_request": "I want a quote for a new furnace",
    "soonest": "as soon as possible, the earliest you have",
    "booking_change": "I have to cancel or move my appointment",
    "follow_up": "you were supposed to call me back, where is the technician",
    "billing_question": "I have a question about my bill",
    "vendor_call": "I am calling from your supplier",
    "job_application": "are you hiring",
    "spam_call": "we can put your business at the top of the search results",
    # Renovation: what a question is about.
    "permit_question": "do I need a permit, when does the inspector come",
    "structure_question": "is this wall load bearing, can I take it out",
    "material_question": "which tiles do you recommend",
    "cost_question": "what does a new kitchen cost",
    "timeline_question": "how long does it take",
    "planning_question": "where do I start, how do I find a contractor",
    # Status: what is asked of an account, and what is wanted after an answer.
    "application_status": "what is the status of my application",
    "payment_status": "where is my payment, when do I get paid",
    "withdraw_request": "I want to withdraw my application",
    "policy_question": "how long does a review take, what are the rules",
    "send_request": "can you send that to me",
    "slower_request": "slower please, you speak too fast",
    "more_request": "go on, tell me the rest",
}
"""Name and an example of each intent."""

COURTESIES = frozenset({"affirmation", "negation", "greeting", "thanks", "filler"})
"""What is said beside something else, and seldom means more than politeness then."""
_RANK = (
    ("emergency",), ("stop_request",), ("human_request",), ("wrong_party",), ("robot_question",),
    ("spanish_request", "english_request"), (), ("goodbye",), ("affirmation", "negation"),
    ("greeting",), ("thanks",), ("filler",),
)  # fmt: skip
"""Which of several intents is acted on first; the empty place is that of all others."""
_PLACE = {name: place for place, names in enumerate(_RANK) for name in names}
_OTHERS = _RANK.index(())


def first_in_rank(names: tuple[str, ...]) -> tuple[str, ...]:
    """The intents of one utterance, the one that a person would act on first before all."""
    return tuple(sorted(names, key=lambda name: _PLACE.get(name, _OTHERS)))
