"""The names of holidays in English, each with its key in `appliance.dialogue.holidays`.

Patterns over normalized words: "New Year's Eve" is "new year eve".
"""

from __future__ import annotations

HOLIDAYS = {
    r"(christmas|xmas) eve": "christmas_eve",
    r"(?<!merry )(christmas|xmas)( day)?(?! (week|party|bonus|card|gift|tree))": "christmas",
    r"boxing day": "boxing_day",
    r"new years? eve": "new_years_eve",
    r"(?<!happy )(?<!in the )(?<!a )new (years( day)?|year day|year(?= |$))": "new_year",
    r"(?<!happy )thanks ?giving( day)?(?! week)": "thanksgiving",
    r"black friday": "black_friday",
    r"cyber monday": "cyber_monday",
    r"(?<!happy )halloween": "halloween",
    r"valentines?( day)?": "valentine",
    r"(saint|st) patricks?( day)?": "patrick",
    r"(?<=on )good friday|(?<=by )good friday|(?<=until )good friday|(?<=before )good friday"
    r"|(?<=after )good friday": "good_friday",
    r"(?<!happy )easter( sunday)?": "easter",
    r"earth day": "earth",
    r"mothers? day": "mothers",
    r"fathers? day": "fathers",
    r"memorial day": "memorial",
    r"juneteenth": "juneteenth",
    r"independence day": "independence",
    r"labou?r day": "labor",
    r"(columbus|indigenous peoples?) day": "columbus",
    r"veterans? day": "veterans",
    r"presidents? day": "presidents",
    r"martin luther king( (junior|jr))? day|m ?l ?k day": "king",
}
