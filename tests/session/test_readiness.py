"""What is rendered before the first call: what calls may say, and nothing else."""

from appliance.flows.registry import read_flow
from appliance.session.readiness import sentences_of
from appliance.tts.sentences import fixed_sentences


def test_texts_of_other_styles_are_not_rendered() -> None:
    flow = read_flow("campaign")
    templates = flow.templates["en"].values()
    spoken = {s for each in templates for text in each.spoken for s in fixed_sentences(text)}
    styled = {s for each in templates for text in each.shown for s in fixed_sentences(text)}
    assert styled - spoken
    assert set(sentences_of([flow], "en")) == spoken


def test_what_is_only_written_is_not_rendered_and_answers_are() -> None:
    flow = read_flow("renovation")
    rendered = " ".join(sentences_of([flow], "en"))
    assert flow.templates["en"]["recommend_quotes"].spoken[0] not in rendered
    assert flow.passages["en"]["permit_deck"].text.split(". ")[0] in rendered
    assert flow.templates["en"]["i_am_automated"].spoken[0].split(". ")[0] in rendered
