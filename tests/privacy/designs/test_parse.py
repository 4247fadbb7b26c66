import json
from datetime import date
from fractions import Fraction

import pytest

from privacy.designs import PlainQuestion, SensitiveQuestion, UnrelatedQuestionSection, parse_design
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, sensitive

FULL = """
{"format": "candor-design/1", "languages": ["en", "zh-hans"],
 "title": {"en": "Work and health", "zh-hans": "工作与健康"},
 "asker": {"en": "The institute"}, "why": {"en": "To know"}, "intro": {}, "consent": {}, "thanks": {},
 "contact": "us@example.org", "minutes": 4,
 "least": 150, "retention": "2027-12-31", "open_answers": true, "rehearsal": true,
 "sections": [
  {"kind": "plain", "questions": [
    {"name": "work", "role": "quasi", "form": "one", "text": {"en": "Do you work?"}, "help": {},
     "choices": [{"name": "employed", "label": {"en": "Yes"}}, {"name": "not", "label": {"en": "No"}}]}]},
  {"kind": "unrelated-question", "keep": "0.5000", "asked": 1, "questions": [
    {"name": "theft", "form": "yes-no", "show_if": {"work": ["employed"]}, "text": {"en": "Ever?"},
     "choices": [{"name": "no"}, {"name": "yes"}], "noise": ["0.4000", "0.6000"]},
    {"name": "drink", "form": "scale", "choices": ["never", "seldom", "often"]}]}]}
"""


def test_everything_that_a_design_says_is_read() -> None:
    found = parse_design(FULL)
    assert (found.languages, found.contact) == (("en", "zh-hans"), "us@example.org")
    assert found.title.in_language_or_first("zh-hans") == "工作与健康"
    assert found.asker.in_language_or_first("en") == "The institute"
    assert (found.minutes, found.least, found.retention) == (4, 150, date(2027, 12, 31))
    assert (found.open_answers, found.rehearsal) == (True, True)
    kinds = [(section.kind, section.sensitive) for section in found.sections]
    assert kinds == [("plain", False), ("unrelated-question", True)]
    assert [question.name for question in found.questions] == ["work", "theft", "drink"]
    work, theft, drink = found.questions
    assert isinstance(work, PlainQuestion)
    assert work.role == "quasi"
    assert [choice.label.in_language_or_first("en") for choice in work.choices] == ["Yes", "No"]
    assert (theft.show_if[0].question, drink.form) == ("work", "scale")
    section = found.sections[1]
    assert isinstance(section, UnrelatedQuestionSection)
    # Three choices share 10,000: 3,334 and twice 3,333.
    thirds = (Fraction(3334, 10_000), Fraction(3333, 10_000), Fraction(3333, 10_000))
    law = section.law
    assert (law.keep, law.asked, law.noise) == (Fraction(1, 2), 1, ((Fraction(2, 5), Fraction(3, 5)), thirds))


def test_a_design_by_hand_needs_only_names_choices_and_keep() -> None:
    found = design(sensitive("0.5", {"name": "theft", "choices": ["no", "yes"]}), open_answers=False)
    assert found.languages == ("en",)
    assert (found.minutes, found.least, found.retention, found.contact) == (0, 100, None, "")
    assert (found.open_answers, found.rehearsal) == (False, False)
    assert not found.title
    section = found.sections[0]
    assert isinstance(section, UnrelatedQuestionSection)
    assert (section.asked, section.questions[0].noise) == (1, (Fraction(1, 2), Fraction(1, 2)))


def test_a_text_is_in_the_first_language_and_falls_back_to_the_first_that_has_it() -> None:
    found = design(plain(WORK), languages=["de", "en"], title="Arbeit")
    assert [found.title.in_language_or_first(code) for code in ("de", "en")] == ["Arbeit", "Arbeit"]
    assert '"title":{"de":"Arbeit"}' in found.canonical
    found = design(plain(WORK), languages=["en", "de", "fr"], why={"fr": "Savoir", "de": "Wissen"})
    assert [found.why.in_language_or_first(code) for code in ("fr", "en")] == ["Savoir", "Wissen"]
    assert found.thanks.in_language_or_first("en") == ""


def test_a_form_left_out_is_yes_no_only_for_no_and_yes_in_that_order() -> None:
    choices = (["no", "yes"], ["yes", "no"], ["no", "yes", "rather not say"], ["No", "Yes"])
    found = design(plain(*({"name": str(n), "choices": of} for n, of in enumerate(choices))))
    assert [question.form for question in found.questions] == ["yes-no", "one", "one", "one"]
    # A group is the questions that share `of`.
    many = {"form": "many", "of": "substances"}
    found = design(sensitive("0.5", question("tea", *HALF, **many), question("gin", *HALF, **many)))
    assert [(question.form, question.of) for question in found.questions] == [("many", "substances")] * 2


def test_all_rules_must_hold_for_a_question_to_apply() -> None:
    both = {"work": ["employed"], "shift": ["night", "late"]}
    shift = {"name": "shift", "choices": ["day", "late", "night"]}
    theft = design(plain(WORK, shift), sensitive("0.5", question("theft", *HALF, show_if=both))).questions[2]
    # Each is resolved to the place and the codes it looks at.
    assert {rule.place: {*rule.codes} for rule in theft.show_if} == {0: {0}, 1: {1, 2}}
    applies = [theft.applies(codes) for codes in ([0, 0], [0, 1], [0, 2], [1, 2], [0, 4])]
    assert applies == [False, True, True, False, False]


def test_probabilities_are_read_with_one_to_four_places() -> None:
    for keep in ("0.3", "0.30", "0.300", "0.3000"):
        section = design(sensitive(keep, question("theft", *HALF))).sections[0]
        assert isinstance(section, UnrelatedQuestionSection)
        assert section.keep == Fraction(3, 10)


@pytest.mark.proof
def test_uniform_noise_over_many_choices_is_exactly_one() -> None:
    # 10,000 = 7 * 1,428 + 4
    for choices, parts, width in ((7, (1429,) * 4 + (1428,) * 3, 1), (10_000, (1,) * 10_000, 5)):
        day = {"name": "day", "choices": [f"c{place}" for place in range(choices)]}
        (asked,) = design(sensitive("0.5", day)).questions
        assert isinstance(asked, SensitiveQuestion)
        assert (asked.parts, asked.width) == (parts, width)


def test_a_design_read_twice_or_with_a_byte_order_mark_is_the_same_and_can_be_a_key() -> None:
    assert {parse_design(FULL): 1}[parse_design(json.dumps(json.loads(FULL)))] == 1
    assert parse_design(b"\xef\xbb\xbf" + FULL.encode()) == parse_design(FULL)
