"""Design by guarantee: what is proposed keeps the promise exactly, and what is applied is what was proposed."""

from fractions import Fraction
from math import prod

import pytest

from builder.protection.proposals import find_proposal, is_incomplete, propose_settings
from privacy.guarantee.amplification import GammaLimit
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import section_laws
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.test_protection import ten, yes_no
from tests.builder.written import draft, names, options, plain, question, sensitive

pytestmark = pytest.mark.page
NEVER_A_HALF = GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))
"""Nothing that was at most 5 % likely may become 50 % likely: gamma below 19."""


def asked(given: Questionnaire) -> list[str]:
    return sorted(name for section in names(given) for name in section)


def gamma(given: Questionnaire) -> Fraction:
    return prod((law.gamma for _number, law in section_laws(given)), start=Fraction(1))


def test_one_section_is_rotated_as_far_as_the_promise_allows() -> None:
    """One of ten asked: keep/(1-keep) below 18/2, so .8999; five of five: .3599."""
    first = propose_settings(draft(ten()), NEVER_A_HALF, 1)[0]
    assert first.number == 0
    assert gamma(first.draft_with_proposal) < 19
    for law in first.proposed_laws:
        assert GammaLimit(Fraction(19), strict=True).admits(law.gamma)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_proposal_keeps_the_promise_and_is_a_design(length: int) -> None:
    given = draft(
        plain(question("work", "yes!", "none")),
        ten(),
        plain(question("age")),
        sensitive(*options("use", "x", "y"), yes_no("theft"), yes_no("debt")),
    )
    found = propose_settings(given, NEVER_A_HALF, length)
    assert len(found) > 1
    for proposal in found:
        after = proposal.draft_with_proposal
        assert gamma(after) < 19
        assert [law for _number, law in section_laws(after)] == proposal.proposed_laws
        assert asked(after) == asked(given)
        freeze_design(after.as_json())


def test_rules_survive_the_new_sections() -> None:
    asked = [{**yes_no("theft"), "show_if": {"work": ["yes!"]}}, yes_no("debt"), yes_no("lie")]
    given = draft(
        sensitive(yes_no("first")),
        plain(question("work", "yes!", "none")),
        sensitive(*asked),
        plain(question("end")),
    )
    for proposal in propose_settings(given, NEVER_A_HALF, 1):
        after = proposal.draft_with_proposal
        freeze_design(after.as_json())
        assert names(after)[-1] == ["end"]


def test_the_options_of_one_question_stay_together() -> None:
    given = draft(sensitive(*options("use", *"abcdefgh")))
    assert [proposal.number for proposal in propose_settings(given, NEVER_A_HALF, 1)] == [0]


def test_what_allows_nothing_proposes_nothing() -> None:
    assert propose_settings(draft(plain(question("age"))), NEVER_A_HALF, 1) == []
    assert propose_settings(draft(ten()), GammaLimit(Fraction(1), strict=True), 1) == []


def test_a_proposal_that_is_gone_is_refused() -> None:
    with pytest.raises(NotAllowed, match="Look at the proposals again"):
        find_proposal(draft(ten()), NEVER_A_HALF, 1, 99)


def test_sections_that_lack_answers_are_left_where_they_are() -> None:
    given = draft(sensitive(), ten(), sensitive({"name": "half", "form": "one", "choices": ["a"]}))
    assert is_incomplete(given)
    for proposal in propose_settings(given, NEVER_A_HALF, 2):
        after = proposal.draft_with_proposal
        assert after.sections[0] == given.sections[0]
        assert after.sections[-1] == given.sections[-1]
