"""A proposal shows what the page says once it is applied, and names a merging before it happens."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils.html import conditional_escape

from builder.editing.save_edit import load_questionnaire
from builder.protection.proposals import propose_settings
from builder.protection.summary import ProtectionSummary
from surveys.models import Survey
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import HTMX
from tests.builder.test_proposals import NEVER_A_HALF
from tests.builder.test_protection import ten, yes_no
from tests.builder.test_protection_pages import sent
from tests.builder.written import classes, draft as written, plain, question, sensitive, stored

pytestmark = pytest.mark.page
EXPECTED = (150, 1000, 20_000)
SIZES = [(1,), (4,), (8,), (2, 2), (4, 4), (1, 5), (3, 3, 3), (2, 4, 2, 4)]


def parts(*sizes: int) -> list[dict[str, Any]]:
    return [sensitive(*(yes_no(f"p{part}q{row}") for row in range(size))) for part, size in enumerate(sizes)]


def drafts(*, every: bool) -> Iterator[Questionnaire]:
    """Sections of all sizes, with `every` number of answers or with one of them in turn."""
    for row, sizes in enumerate(SIZES):
        for expected in EXPECTED if every else [EXPECTED[row % len(EXPECTED)]]:
            yield written(plain(question("age")), *parts(*sizes), expected=expected)
    yield written(sensitive(question("a", *"xyz"), yes_no("b")), plain(question("age")), expected=1000)
    yield written(classes("debt", 0, 1, 2), *parts(3), expected=1000)
    yield written(ten(), ten_more(), expected=300)


def ten_more() -> dict[str, Any]:
    return sensitive(*(yes_no(f"r{number}") for number in range(10)))


def said_by(outcome: ProtectionSummary) -> list[Any]:
    assert outcome.person_protection is not None
    numbers = [outcome.person_protection.posterior_words, str(outcome.person_protection.epsilon)]
    margins = [
        (each.margin_text, each.half_width, each.has_enough_answers) for each in outcome.itemset_margins
    ]
    return [numbers, margins, outcome.single_question_lines, [each.words for each in outcome.warnings]]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.night)])
@pytest.mark.parametrize(
    "length", [pytest.param(1, marks=pytest.mark.night), 2, pytest.param(3, marks=pytest.mark.night)]
)
def test_every_proposal_says_what_is_said_of_the_draft_once_it_is_applied(length: int, every: bool) -> None:
    offered = 0
    for given in drafts(every=every):
        for proposal in propose_settings(given, NEVER_A_HALF, length):
            after = proposal.draft_with_proposal
            assert said_by(proposal.resulting_summary) == said_by(ProtectionSummary(after))
            assert bool(proposal.regrouping_sentence) == (
                len(after.sections) != len(given.sections) or proposal.moves_questions
            )
            offered += 1
    assert offered > (2 if every else 1) * len(SIZES)


def test_too_few_asked_is_said_before_the_proposal_is_applied() -> None:
    """Two of ten are asked of 120: 24 answers to each question, below 50."""
    given = written(ten(), expected=120)
    words = [
        proposal.resulting_summary.itemset_margins[0].margin_text
        for proposal in propose_settings(given, NEVER_A_HALF, 1)
    ]
    assert "too few asked" in words


def test_the_page_lists_the_warnings_of_each_proposal_in_words() -> None:
    proposals = propose_settings(written(ten(), expected=120), NEVER_A_HALF, 1)
    page = render_to_string(
        "builder/proposals.html",
        {
            "panel": {
                "look": {"gamma_limit": 1, "prior": 0.1},
                "setting_proposals": proposals,
                "draft": {"respondents": 120},
            }
        },
    )
    words = [warning.words for proposal in proposals for warning in proposal.resulting_summary.warnings]
    assert words
    for each in words:
        assert f"<li>{conditional_escape(each)}</li>" in page


def test_sections_that_are_merged_are_named_by_their_numbers() -> None:
    """The plain one is section 1; two of two questions each become one of four."""
    given = written(plain(question("age")), *parts(2), plain(question("work")), *parts_named("x", 2))
    found = {proposal.regrouping_sentence for proposal in propose_settings(given, NEVER_A_HALF, 1)}
    assert "" in found
    assert "Sections 2 and 4 are merged into one." in found
    split = {
        proposal.regrouping_sentence for proposal in propose_settings(written(*parts(6)), NEVER_A_HALF, 1)
    }
    assert any(re.fullmatch(r"Section 1 is split into \d sections\.", words) for words in split)


def with_texts(*sections: dict[str, Any]) -> Questionnaire:
    intros = ({"intro": {"en": f"Before {number}"}, "order": "random"} for number in range(len(sections)))
    return written(*({**section, **intro} for section, intro in zip(sections, intros, strict=True)))


def test_a_section_that_is_split_keeps_its_text_before_the_first_part_and_its_order() -> None:
    given = with_texts(*parts(6))
    split = [each for each in propose_settings(given, NEVER_A_HALF, 1) if each.moves_questions]
    for proposal in split:
        made = proposal.draft_with_proposal.as_json()["sections"]
        assert [section.get("intro") for section in made] == [{"en": "Before 0"}] + [None] * (len(made) - 1)
        assert {section["order"] for section in made if len(section["questions"]) > 1} <= {"random"}
        assert proposal.lost_texts_sentence == ""
    assert split


def test_texts_that_a_merging_leaves_out_are_named_before_it_happens() -> None:
    given = with_texts(*parts(2), *parts_named("x", 2))
    merged = [
        each
        for each in propose_settings(given, NEVER_A_HALF, 1)
        if each.moves_questions and len(each.proposed_laws) == 1
    ]
    assert merged
    for proposal in merged:
        (made,) = proposal.draft_with_proposal.as_json()["sections"]
        assert "intro" not in made
        assert proposal.lost_texts_sentence == "The texts before sections 1 and 2 are left out."
    kept = next(each for each in propose_settings(given, NEVER_A_HALF, 1) if not each.moves_questions)
    assert kept.lost_texts_sentence == ""
    assert [section["intro"] for section in kept.draft_with_proposal.as_json()["sections"]] == [
        {"en": "Before 0"},
        {"en": "Before 1"},
    ]


def parts_named(name: str, size: int) -> list[dict[str, Any]]:
    return [sensitive(*(yes_no(f"{name}{row}") for row in range(size)))]


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = stored(plain(question("age")), *parts(4, 4), open_answers=False, expected=400)
    draft.save()
    return draft


def post(client: Client, survey: Survey, do: str) -> str:
    data = sent(survey, do=do)
    answer = client.post(f"/app/surveys/{survey.pk}/edit/protection/save", data, headers=HTMX)
    survey.refresh_from_db()
    return answer.content.decode()


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


def shown(page: str) -> list[str]:
    """The same on the page: what 5 % can become, and the margins of error."""
    [person] = re.findall(r'<div id="person-results".*?</table>', page, re.DOTALL)
    verdict = flat(re.findall(r"at most <strong>(.*?)</strong>", person)[0])
    cells = re.findall(r"<tr><th.*?</tr>", person.partition("<tbody>")[2], re.DOTALL)
    margins = [
        re.search(r"(±[\d.,]+ points|too few asked|some never asked together)", flat(c)) for c in cells
    ]
    return [verdict, *(margin[1] for margin in margins if margin)]


@pytest.mark.night
def test_the_page_after_applying_says_what_the_proposal_said(client: Client, survey: Survey) -> None:
    before = survey.draft
    offered = previews(client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode())
    assert len(offered) > 1
    for do, said, _words in offered:
        Survey.objects.filter(pk=survey.pk).update(draft=before)
        survey.refresh_from_db()
        assert shown(post(client, survey, do)) == said


def test_a_merging_is_not_applied_before_it_is_agreed_to(client: Client, survey: Survey) -> None:
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
    merging = [(do, words) for do, _said, words in previews(page) if do.endswith(" regroup")]
    assert merging
    do, words = merging[0]
    assert re.search(r"ections? [\d and,]+ (are merged|is split|are moved)", words) or "are moved" in words
    before = load_questionnaire(survey)
    answer = post(client, survey, do.removesuffix(" regroup"))
    assert "Agree to that first." in answer
    assert load_questionnaire(survey) == before
    post(client, survey, do)
    assert load_questionnaire(survey) != before
