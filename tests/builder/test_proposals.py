"""Design by guarantee: what is proposed keeps the promise exactly, and what is applied is what was proposed."""

import re
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils.html import conditional_escape

from builder.protection.proposals import find_proposal, has_incomplete_disguised_section, propose_settings
from builder.protection.summary import ProtectionSummary
from privacy.guarantee.amplification import GammaLimit
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import section_laws
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import HTMX, gamma, saved_draft
from tests.builder.test_protection_pages import settings_form_data
from tests.surveys.conftest import page_text, post, update_row
from tests.surveys.drafts import (
    classes,
    draft,
    names,
    options,
    plain,
    put,
    question,
    sensitive,
    ten_questions,
    yes_no,
)

pytestmark = pytest.mark.page
NEVER_A_HALF = GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))
"""Nothing that was at most 5 % likely may become 50 % likely: gamma below 19."""


def all_question_names(given: Questionnaire) -> list[str]:
    return sorted(name for section in names(given) for name in section)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_proposal_keeps_the_promise_and_is_a_design(length: int) -> None:
    """One of ten asked: keep/(1-keep) below 18/2, so .8999; five of five: .3599."""
    given = draft(
        plain(question("work", "yes!", "none")),
        ten_questions(),
        plain(question("age")),
        sensitive(*options("use", "x", "y"), yes_no("theft"), yes_no("debt")),
    )
    found = propose_settings(given, NEVER_A_HALF, length)
    assert len(found) > 1
    for proposal in found:
        after = proposal.draft_with_proposal
        assert gamma(after) < 19
        assert [law for _number, law in section_laws(after)] == proposal.proposed_laws
        assert all_question_names(after) == all_question_names(given)
        freeze_design(after.as_json())
    first = propose_settings(draft(ten_questions()), NEVER_A_HALF, length)[0]
    assert first.number == 0
    assert all(NEVER_A_HALF.admits(law.gamma) for law in first.proposed_laws)


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


def test_options_of_a_question_stay_together_and_impossible_limits_propose_nothing() -> None:
    given = draft(sensitive(*options("use", *"abcdefgh")))
    assert [proposal.number for proposal in propose_settings(given, NEVER_A_HALF, 1)] == [0]
    assert propose_settings(draft(plain(question("age"))), NEVER_A_HALF, 1) == []
    assert propose_settings(draft(ten_questions()), GammaLimit(Fraction(1), strict=True), 1) == []
    with pytest.raises(NotAllowed, match="Look at the proposals again"):
        find_proposal(draft(ten_questions()), NEVER_A_HALF, 1, 99)
    # Sections that lack answers are left where they are.
    given = draft(sensitive(), ten_questions(), sensitive({"name": "half", "form": "one", "choices": ["a"]}))
    assert has_incomplete_disguised_section(given)
    for proposal in propose_settings(given, NEVER_A_HALF, 2):
        after = proposal.draft_with_proposal
        assert after.sections[0] == given.sections[0]
        assert after.sections[-1] == given.sections[-1]


# What a proposal shows is what the page says once it is applied, and a merging is named before it happens.

EXPECTED = (150, 1000, 20_000)
SIZES = [(1,), (4,), (8,), (2, 2), (4, 4), (1, 5), (3, 3, 3), (2, 4, 2, 4)]


def sized_sections(*sizes: int, name: str = "p") -> list[dict[str, Any]]:
    return [sensitive(*(yes_no(f"{name}{part}q{n}") for n in range(size))) for part, size in enumerate(sizes)]


def drafts_of_all_sizes(*, every: bool) -> Iterator[Questionnaire]:
    """Sections of all sizes, with `every` number of answers or with one of them in turn."""
    for row, sizes in enumerate(SIZES):
        for expected in EXPECTED if every else [EXPECTED[row % len(EXPECTED)]]:
            yield draft(plain(question("age")), *sized_sections(*sizes), expected=expected)
    yield draft(sensitive(question("a", *"xyz"), yes_no("b")), plain(question("age")), expected=1000)
    yield draft(classes("debt", 0, 1, 2), *sized_sections(3), expected=1000)
    yield draft(ten_questions(), *sized_sections(10), expected=300)


def said_by(outcome: ProtectionSummary) -> list[Any]:
    assert outcome.person_protection is not None
    numbers = [outcome.person_protection.posterior_words, str(outcome.person_protection.epsilon)]
    margins = [(one.margin_text, one.half_width, one.has_enough_answers) for one in outcome.itemset_margins]
    return [numbers, margins, outcome.single_question_lines, [each.words for each in outcome.warnings]]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.night)])
@pytest.mark.parametrize(
    "length", [pytest.param(1, marks=pytest.mark.night), 2, pytest.param(3, marks=pytest.mark.night)]
)
def test_proposal_states_what_the_draft_states_after_applying(length: int, every: bool) -> None:
    offered = 0
    for given in drafts_of_all_sizes(every=every):
        for proposal in propose_settings(given, NEVER_A_HALF, length):
            after = proposal.draft_with_proposal
            assert said_by(proposal.resulting_summary) == said_by(ProtectionSummary(after))
            assert bool(proposal.regrouping_sentence) == (
                len(after.sections) != len(given.sections) or proposal.moves_questions
            )
            offered += 1
    assert offered > (2 if every else 1) * len(SIZES)


def test_page_lists_the_warnings_of_each_proposal_before_applying() -> None:
    """Two of ten are asked of 120: 24 answers to each question, below 50."""
    proposals = propose_settings(draft(ten_questions(), expected=120), NEVER_A_HALF, 1)
    outcomes = [proposal.resulting_summary for proposal in proposals]
    assert "too few asked" in [outcome.itemset_margins[0].margin_text for outcome in outcomes]
    look = {"gamma_limit": 1, "prior": 0.1}
    panel = {"look": look, "setting_proposals": proposals, "draft": {"disguised_respondents": 120}}
    page = render_to_string("builder/proposals.html", {"panel": panel})
    words = [warning.words for outcome in outcomes for warning in outcome.warnings]
    assert words
    for each in words:
        assert f"<li>{conditional_escape(each)}</li>" in page


def test_merged_sections_are_named_by_number() -> None:
    """The plain one is section 1; two of two questions each become one of four."""
    given = draft(
        plain(question("age")), *sized_sections(2), plain(question("work")), *sized_sections(2, name="x")
    )
    found, split = (
        {proposal.regrouping_sentence for proposal in propose_settings(each, NEVER_A_HALF, 1)}
        for each in (given, draft(*sized_sections(6)))
    )
    assert {"", "Sections 2 and 4 are merged into one."} <= found
    assert any(re.fullmatch(r"Section 1 is split into \d sections\.", words) for words in split)


def with_texts(*sections: dict[str, Any]) -> Questionnaire:
    intros = ({"intro": {"en": f"Before {number}"}, "order": "random"} for number in range(len(sections)))
    return draft(*({**section, **intro} for section, intro in zip(sections, intros, strict=True)))


def test_split_section_keeps_its_text_and_order() -> None:
    given = with_texts(*sized_sections(6))
    split = [each for each in propose_settings(given, NEVER_A_HALF, 1) if each.moves_questions]
    for proposal in split:
        made = proposal.draft_with_proposal.as_json()["sections"]
        assert [section.get("intro") for section in made] == [{"en": "Before 0"}] + [None] * (len(made) - 1)
        assert {section["order"] for section in made if len(section["questions"]) > 1} <= {"random"}
        assert proposal.lost_texts_sentence == ""
    assert split


def test_texts_dropped_by_a_merge_are_named_before() -> None:
    given = with_texts(*sized_sections(2), *sized_sections(2, name="x"))
    found = propose_settings(given, NEVER_A_HALF, 1)
    merged = [each for each in found if each.moves_questions and len(each.proposed_laws) == 1]
    assert merged
    for proposal in merged:
        (made,) = proposal.draft_with_proposal.as_json()["sections"]
        assert "intro" not in made
        assert proposal.lost_texts_sentence == "The texts before sections 1 and 2 are left out."
    kept = next(each for each in found if not each.moves_questions)
    assert kept.lost_texts_sentence == ""
    intros = [section["intro"]["en"] for section in kept.draft_with_proposal.as_json()["sections"]]
    assert intros == ["Before 0", "Before 1"]


# The page.


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(draft, plain(question("age")), *sized_sections(4, 4), open_answers=False, expected=400)


def post_settings_button(client: Client, survey: Survey, do: str) -> str:
    answer: str = post(client, survey, "edit/protection/save", HTMX, **settings_form_data(survey, do=do)).text
    return answer


def flat(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def previews(page: str) -> list[tuple[str, list[str], str]]:
    """Of each proposal its button, what it shows of the page after, and its own words."""
    [offered] = re.findall(r'<div id="proposals".*', page, re.DOTALL)
    items = re.split(r'<li class="card flow" id="proposal-', offered)[1:]
    found = []
    for item in items:
        [do] = re.findall(r'name="do" value="([^"]+)"', item)
        [preview] = re.findall(r'<dl class="figures preview">(.*?)</dl>', item, re.DOTALL)
        found.append((do, [flat(each) for each in re.findall(r"<dd>(.*?)</dd>", preview)], flat(item)))
    return found


def results(page: str) -> list[str]:
    """The same on the page: what 5 % can become, and the margins of error."""
    [person] = re.findall(r'<div id="person-results".*?</table>', page, re.DOTALL)
    verdict = flat(re.findall(r"at most <strong>(.*?)</strong>", person)[0])
    cells = re.findall(r"<tr><th.*?</tr>", person.partition("<tbody>")[2], re.DOTALL)
    errors = [re.search(r"(±[\d.,]+ points|too few asked|some never asked together)", flat(c)) for c in cells]
    return [verdict, *(error[1] for error in errors if error)]


@pytest.mark.night
def test_page_after_applying_states_what_the_proposal_stated(client: Client, survey: Survey) -> None:
    before = survey.draft
    offered = previews(page_text(client, survey, "edit/protection"))
    assert len(offered) > 1
    for do, said, _words in offered:
        assert results(post_settings_button(client, update_row(survey, draft=before), do)) == said


def test_merge_needs_agreement_before_it_is_applied(client: Client, survey: Survey) -> None:
    page = previews(page_text(client, survey, "edit/protection"))
    do, words = next((do, words) for do, _said, words in page if do.endswith(" regroup"))
    assert re.search(r"ections? [\d and,]+ (are merged|is split|are moved)", words) or "are moved" in words
    before = saved_draft(survey)
    assert "Agree to that first." in post_settings_button(client, survey, do.removesuffix(" regroup"))
    assert saved_draft(survey) == before
    post_settings_button(client, survey, do)
    assert saved_draft(survey) != before
