"""The page of quotas: what is added, changed, removed and taken back, and what is refused with the reason."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from privacy.designs import parse_design
from privacy.designs.quotas import MOST_QUOTAS
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import design_json_from_draft, freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.answer_choice_editing import rename_choice
from surveys.questionnaire.problems_and_refusals import Problem
from surveys.questionnaire.question_block_editing import rename_question
from tests.builder.conftest import refusal, removed_in
from tests.surveys.conftest import address, page_text, post, update_row
from tests.surveys.drafts import draft, options, plain, put, question, sensitive

pytestmark = pytest.mark.page
YOUNG, OLD, EMPLOYED = (json.dumps(of) for of in (["age", "young"], ["age", "old"], ["work", "employed"]))
AGE, WORK = question("age", "young", "old"), question("work", "employed", "none")
QUOTAS = [
    {"answers": {"age": "young"}, "limit": 200},
    {"answers": {"age": "old", "work": "none"}, "limit": 30},
]


def page(client: Client, survey: Survey) -> str:
    return page_text(client, survey, "edit/quotas")


def post_quota_act(client: Client, survey: Survey, do: str, **sent: Any) -> Any:
    return client.post(reverse("builder:quotas-act", args=[survey.pk]), {"do": do, **sent})


def quotas(survey: Survey) -> list[Any]:
    survey.refresh_from_db()
    return list(survey.draft.get("quotas", []))


def problems(of: Any) -> list[Problem]:
    return [each for each in draft_problems(of, timezone.localdate(), 20) if each.path.startswith("quotas")]


def test_quota_is_added_changed_removed_and_restored(client: Client, survey: Survey) -> None:
    assert post_quota_act(client, survey, "add", first=YOUNG, second=EMPLOYED, limit=120).status_code == 302
    added = {"answers": {"age": "young", "work": "employed"}, "limit": 120}
    assert quotas(survey) == [added]
    assert "age? <strong>young</strong><br>work? <strong>employed</strong>" in page(client, survey)
    again = post_quota_act(client, survey, "add", first=EMPLOYED, second=YOUNG, limit=60).text
    assert "There is a quota of these answers already" in again
    key = json.dumps(added["answers"])
    post_quota_act(client, survey, "change", answers=key, limit="150")
    assert quotas(survey) == [added | {"limit": 150}]
    post_quota_act(client, survey, "remove", answers=key)
    assert quotas(survey) == []
    removed = removed_in(client.get(address(survey, "edit/quotas")))
    back = post(client, survey, "edit/act", do="undo", removed=removed, next=address(survey, "edit/quotas"))
    assert back["Location"] == reverse("builder:quotas", args=[survey.pk])
    assert quotas(survey) == [added | {"limit": 150}]


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"first": YOUNG, "limit": 29}, "greater than or equal to 30"),
        ({"first": "", "limit": 50}, "This field is required"),
        ({"first": YOUNG, "second": OLD, "limit": 50}, "an answer to the same question"),
        ({"first": json.dumps(["debt", "a"]), "limit": 50}, "a page that ends for it would betray it"),
        ({"first": json.dumps(["gone", "a"]), "limit": 50}, "no question is called “gone”"),
        ({"first": json.dumps(["age", "gone"]), "limit": 50}, "has changed since"),
        ({"first": "{", "limit": 50}, "has changed since"),
        ({"first": "[" * 100_000, "limit": 50}, "has changed since"),
    ],
)
def test_a_wrong_quota_is_refused(client: Client, survey: Survey, sent: dict[str, Any], words: str) -> None:
    assert words in refusal(post_quota_act(client, survey, "add", **sent))
    assert quotas(survey) == []


def test_quota_below_thirty_or_of_a_lost_row_changes_nothing(client: Client, survey: Survey) -> None:
    """A quota is found by its answers where another was removed meanwhile."""
    post_quota_act(client, survey, "add", first=YOUNG, limit=50)
    here, gone = json.dumps({"age": "young"}), json.dumps({"age": "old"})
    for do, sent in (
        ("change", {"answers": here, "limit": "29"}),
        ("change", {"answers": here, "limit": "x"}),
        ("change", {"answers": gone, "limit": "40"}),
        ("remove", {"answers": gone}),
        ("remove", {"row": 0}),
        ("nonsense", {}),
    ):
        post_quota_act(client, survey, do, **sent)
    assert quotas(survey) == [{"answers": {"age": "young"}, "limit": 50}]
    # The largest number has ten digits.
    post_quota_act(client, survey, "change", answers=here, limit="1000000001")
    assert "less than or equal to 1000000000" in page(client, survey)
    post_quota_act(client, survey, "change", answers=here, limit="1000000000")
    assert quotas(survey) == [{"answers": {"age": "young"}, "limit": 10**9}]
    post_quota_act(client, survey, "add", first=OLD, limit=60)
    old = re.findall(r'name="answers" value="([^"]+)"', page(client, survey))[-1].replace("&quot;", '"')
    post_quota_act(client, survey, "remove", answers=here)
    post_quota_act(client, survey, "change", answers=old, limit="70")
    assert quotas(survey) == [{"answers": {"age": "old"}, "limit": 70}]


def test_quota_with_an_open_link_recommends_invitations(client: Client, survey: Survey) -> None:
    caution = 'data-caution="open-link"'
    assert caution not in page(client, survey)
    post_quota_act(client, survey, "add", first=YOUNG, limit=50)
    assert caution in page(client, survey)
    assert "Invite people" in page(client, survey)
    assert caution not in page(client, update_row(survey, invited=True))


def test_planned_share_with_a_quota_is_cautioned_on_both_pages(client: Client, survey: Survey) -> None:
    caution, pages = 'data-caution="planned-share"', ("edit/quotas", "edit/study")
    plan = hypotheses.add_hypothesis({}, {"kind": "share", "item": "theft=yes", "than": "0.2"}, "0" * 32)
    planned = update_row(survey, draft=survey.draft | {"plan": plan})
    assert not [page for page in pages if caution in page_text(client, planned, page)]
    post_quota_act(client, planned, "add", first=YOUNG, limit=50)
    assert [page for page in pages if caution in page_text(client, planned, page)] == [*pages]
    # A hypothesis of another kind compares those who were asked.
    other = hypotheses.add_hypothesis({}, {"kind": "arms", "item": "theft=yes"}, "0" * 32)
    planned.refresh_from_db()
    compared = update_row(planned, draft=planned.draft | {"plan": other})
    assert not [page for page in pages if caution in page_text(client, compared, page)]


def test_quota_page_says_what_a_full_quota_reveals(client: Client, survey: Survey) -> None:
    """A preview can begin with all quotas full."""
    post_quota_act(client, survey, "add", first=YOUNG, limit=50)
    assert "is certainly not among them" in page(client, survey)
    assert "about 35 people above" in page(client, survey)
    framed = reverse("builder:preview-page", args=[survey.pk])
    assert f"{framed}?full=1" in page(client, survey)
    for query, full in {"?full=1": "[0]", "": "[]"}.items():
        assert f'"full":{full}' in client.get(f"{framed}{query}").text
    post_quota_act(client, survey, "add", first=EMPLOYED, limit=50)
    assert "about 74 people above" in page(client, survey)
    refused = post_quota_act(client, survey, "add", first=YOUNG, second=EMPLOYED, limit=50)
    assert "a third set of questions is counted" in refusal(refused)
    assert len(quotas(survey)) == 2


def test_impossible_quota_is_named(client: Client, survey: Survey) -> None:
    three = [{"answers": {name: "a"}, "limit": 30} for name in "xyz"]
    put(survey, plain(*map(question, "xyz")), quotas=three)
    assert page(client, survey).count("a third set of questions is counted") == 1
    (third,) = (each for each in problems(survey.draft) if each.path == "quotas[2]")
    assert "third set" in third.reason
    put(survey, sensitive(AGE), plain(question("work")), quotas=QUOTAS[:1])
    (problem,) = problems(survey.draft)
    assert problem.path == "quotas[0].answers.age"
    assert "would betray it" in problem.reason
    assert "“age?” is sensitive" in page(client, survey)
    assert reverse("builder:quotas", args=[survey.pk]) in page_text(client, survey)
    many = [{"answers": {"age": str(number)}, "limit": 30} for number in range(60)]
    put(survey, plain(question("age", *map(str, range(60)))), quotas=many)
    assert len(survey.draft["quotas"]) == MOST_QUOTAS + 1
    assert any("at most 50 quotas" in each.reason for each in problems(survey.draft))
    two = [{"answers": {"age": "young"}, "limit": limit} for limit in (30, 40)]
    put(survey, plain(AGE), quotas=two)
    assert any("the same answers" in each.reason for each in problems(survey.draft))


def test_quotas_use_only_questions_of_everybody_before_sensitive_ones(client: Client, survey: Survey) -> None:
    theft, late = sensitive(question("theft")), plain(question("late"))
    put(survey, plain(AGE, question("boss", show_if={"age": ["old"]}), *options("use", "bus")), theft, late)
    text = page(client, survey)
    offered = re.findall(r'<optgroup label="([^"]+)">', text)
    assert list(dict.fromkeys(offered)) == ["age?", "use?"]
    assert "[&quot;bus&quot;, &quot;yes&quot;]" in text
    assert "[&quot;bus&quot;, &quot;no&quot;]" not in text
    assert "No question can be counted" in page(client, put(survey, theft, late))


def test_quotas_are_kept_in_drafts_and_follow_renamed_questions_and_answers() -> None:
    made = draft(plain(AGE, WORK), sensitive(question("theft")), quotas=QUOTAS)
    assert read_questionnaire(made.as_json()) == made
    assert [quota.as_json() for quota in freeze_design(made.as_json()).quotas] == QUOTAS
    assert parse_design(design_json_from_draft(made.as_json())).quotas
    assert "quotas" not in draft(plain(AGE, WORK)).as_json()
    renamed = rename_choice(rename_question(made, "age", "years"), "years", 0, "18-39")
    answers = [dict(quota.answers) for quota in renamed.quotas]
    assert answers == [{"years": "18-39"}, {"years": "old", "work": "none"}]


def test_a_quota_in_a_file_is_read_tolerantly() -> None:
    young = {"answers": {"age": "young"}}
    given: list[tuple[Any, int]] = [(young | {"limit": 200}, 200), ([young | {"limit": "200"}], 200)]
    given += [([young | {"limit": 200.0}], 200), ([young | {"limit": " 30 "}] * 2, 30)]
    for read, limit in given:
        (quota,) = draft(plain(AGE), quotas=read).quotas
        assert (dict(quota.answers), quota.limit) == ({"age": "young"}, limit)


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("given", "path", "reason"),
    [
        ("x", "quotas[0].answers", "one or two answers"),
        ({"limit": 30}, "quotas[0].answers", "one or two answers"),
        ({"answers": [], "limit": 30}, "quotas[0].answers", "one or two answers"),
        ({"answers": {"age": "young"}, "limit": 20}, "quotas[0].limit", "between 30 and"),
        ({"answers": {"age": "young"}, "limit": True}, "quotas[0].limit", "between 30 and"),
        ({"answers": {"age": "young"}, "limit": "many"}, "quotas[0].limit", "between 30 and"),
        ({"answers": {"age": "young"}}, "quotas[0].limit", "between 30 and"),
        ({"answers": {"age": "young", "w": "n", "x": "y"}, "limit": 30}, "quotas[0].answers", "one or two"),
        ({"answers": {"age": "young", "Age": "old"}, "limit": 30}, "quotas[0].answers", "capital letters"),
        ({"answers": {"age": "young", "age=": "old"}, "limit": 30}, "quotas[0].answers.age-2", "no question"),
        ({"answers": {"age": 1}, "limit": 30}, "quotas[0].answers.age", "is not a choice"),
    ],
)
def test_invalid_quota_in_a_file_is_kept_and_named(
    given: object, path: str, reason: str, client: Client, survey: Survey
) -> None:
    put(survey, plain(AGE), quotas=[given])
    assert read_questionnaire(survey.draft).as_json() == survey.draft
    assert [each for each in problems(survey.draft) if each.path == path and reason in each.reason]
    assert reason in page(client, survey)
    assert 'class="caution"' in page(client, survey)
