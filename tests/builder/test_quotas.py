"""The page of quotas: what is added, changed, removed and taken back, and what is refused with the reason."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from privacy.designs import parse
from privacy.designs.quotas import MOST_QUOTAS
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.draft_problems import draft_problems
from surveys.lifecycle.freeze_draft import design_json_from_draft, freeze_design
from surveys.models import Survey
from surveys.questionnaire.answer_choices import rename_choice
from surveys.questionnaire.question_blocks import rename_question
from tests.builder.written import draft, options, plain, question, sensitive, stored

pytestmark = pytest.mark.page
YOUNG, EMPLOYED = json.dumps(["age", "young"]), json.dumps(["work", "employed"])
QUOTAS = [
    {"answers": {"age": "young"}, "limit": 200},
    {"answers": {"age": "old", "work": "none"}, "limit": 30},
]


def page(client: Client, survey: Survey) -> str:
    return str(client.get(reverse("builder:quotas", args=[survey.pk])).text)


def act(client: Client, survey: Survey, do: str, **sent: Any) -> Any:
    return client.post(reverse("builder:quotas-act", args=[survey.pk]), {"do": do, **sent})


def quotas(survey: Survey) -> list[Any]:
    survey.refresh_from_db()
    return list(survey.draft.get("quotas", []))


def test_a_quota_is_added_changed_removed_and_taken_back(client: Client, survey: Survey) -> None:
    assert act(client, survey, "add", first=YOUNG, second=EMPLOYED, limit=120).status_code == 302
    added = {"answers": {"age": "young", "work": "employed"}, "limit": 120}
    assert quotas(survey) == [added]
    assert "age? <strong>young</strong><br>work? <strong>employed</strong>" in page(client, survey)
    key = json.dumps(added["answers"])
    act(client, survey, "change", answers=key, limit="150")
    assert quotas(survey) == [added | {"limit": 150}]
    act(client, survey, "remove", answers=key)
    assert quotas(survey) == []
    removed = re.search(r'name="removed" value="([^"]+)"', page(client, survey))
    assert removed
    undo = {"do": "undo", "removed": removed[1], "back": "quotas"}
    back = client.post(reverse("builder:edit-act", args=[survey.pk]), undo)
    assert back["Location"] == reverse("builder:quotas", args=[survey.pk])
    assert quotas(survey) == [added | {"limit": 150}]


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"first": YOUNG, "limit": 29}, "greater than or equal to 30"),
        ({"first": "", "limit": 50}, "This field is required"),
        (
            {"first": YOUNG, "second": json.dumps(["age", "old"]), "limit": 50},
            "an answer to the same question",
        ),
        ({"first": json.dumps(["debt", "a"]), "limit": 50}, "a page that ends for it would betray it"),
        ({"first": json.dumps(["gone", "a"]), "limit": 50}, "no question is called “gone”"),
        ({"first": json.dumps(["age", "gone"]), "limit": 50}, "has changed since"),
        ({"first": "{", "limit": 50}, "has changed since"),
    ],
)
def test_what_is_no_quota_is_refused_with_the_reason(
    client: Client, survey: Survey, sent: dict[str, Any], words: str
) -> None:
    response = act(client, survey, "add", **sent)
    assert response.status_code == 422
    assert words in response.text
    assert quotas(survey) == []


def test_the_same_answers_have_one_quota(client: Client, survey: Survey) -> None:
    act(client, survey, "add", first=YOUNG, second=EMPLOYED, limit=50)
    again = act(client, survey, "add", first=EMPLOYED, second=YOUNG, limit=60)
    assert "There is a quota of these answers already" in again.text
    assert len(quotas(survey)) == 1


def test_a_number_below_thirty_and_a_quota_that_is_gone_change_nothing(
    client: Client, survey: Survey
) -> None:
    act(client, survey, "add", first=YOUNG, limit=50)
    here, gone = json.dumps({"age": "young"}), json.dumps({"age": "old"})
    for sent in (
        {"answers": here, "limit": "29"},
        {"answers": here, "limit": "x"},
        {"answers": gone, "limit": "40"},
    ):
        act(client, survey, "change", **sent)
    act(client, survey, "remove", answers=gone)
    act(client, survey, "remove", row=0)
    act(client, survey, "nonsense")
    assert quotas(survey) == [{"answers": {"age": "young"}, "limit": 50}]


def test_a_quota_is_found_by_its_answers_where_another_was_removed_meanwhile(
    client: Client, survey: Survey
) -> None:
    act(client, survey, "add", first=YOUNG, limit=50)
    act(client, survey, "add", first=json.dumps(["age", "old"]), limit=60)
    old = re.findall(r'name="answers" value="([^"]+)"', page(client, survey))[-1].replace("&quot;", '"')
    act(client, survey, "remove", answers=json.dumps({"age": "young"}))
    act(client, survey, "change", answers=old, limit="70")
    assert quotas(survey) == [{"answers": {"age": "old"}, "limit": 70}]


def test_a_quota_beside_an_open_link_gets_a_caution_that_recommends_invitations(
    client: Client, survey: Survey
) -> None:
    assert 'data-caution="open-link"' not in page(client, survey)
    act(client, survey, "add", first=YOUNG, limit=50)
    assert 'data-caution="open-link"' in page(client, survey)
    assert "Invite people" in page(client, survey)
    Survey.objects.filter(pk=survey.pk).update(invited=True)
    assert 'data-caution="open-link"' not in page(client, survey)


def test_the_page_says_what_a_full_quota_tells_of_later_participants_and_the_margin_of_its_sets(
    client: Client, survey: Survey
) -> None:
    act(client, survey, "add", first=YOUNG, limit=50)
    assert "is certainly not among them" in page(client, survey)
    assert "about 35 people above" in page(client, survey)
    act(client, survey, "add", first=EMPLOYED, limit=50)
    assert "about 74 people above" in page(client, survey)


def test_a_third_question_set_is_refused_with_the_reason(client: Client, survey: Survey) -> None:
    act(client, survey, "add", first=YOUNG, limit=50)
    act(client, survey, "add", first=EMPLOYED, limit=50)
    refused = act(client, survey, "add", first=YOUNG, second=EMPLOYED, limit=50)
    assert refused.status_code == 422
    assert "a third set of questions is counted" in refused.text
    assert len(quotas(survey)) == 2


def test_a_third_question_set_of_a_draft_is_named_there_and_at_the_opening(
    client: Client, survey: Survey
) -> None:
    three = [{"answers": {name: "a"}, "limit": 30} for name in "xyz"]
    survey.draft = stored(plain(*(question(name) for name in "xyz")), quotas=three, languages=["en"])
    survey.save()
    assert page(client, survey).count("a third set of questions is counted") == 1
    assert ("quotas[2]", True) in [
        (problem.path, "third set" in problem.reason)
        for problem in draft_problems(survey.draft, timezone.localdate(), 20)
    ]


def test_only_questions_of_everybody_before_the_first_sensitive_one_are_offered(
    client: Client, survey: Survey
) -> None:
    survey.draft = stored(
        plain(
            question("age", "young", "old"),
            question("boss", show_if={"age": ["old"]}),
            *options("use", "bus"),
        ),
        sensitive(question("theft")),
        plain(question("late")),
        languages=["en"],
    )
    survey.save()
    offered = re.findall(r'<optgroup label="([^"]+)">', page(client, survey))
    assert list(dict.fromkeys(offered)) == ["age?", "use?"]
    assert "[&quot;bus&quot;, &quot;yes&quot;]" in page(client, survey)
    assert "[&quot;bus&quot;, &quot;no&quot;]" not in page(client, survey)


def test_where_no_question_can_be_counted_the_page_says_so(client: Client, survey: Survey) -> None:
    survey.draft = stored(sensitive(question("theft")), plain(question("late")), languages=["en"])
    survey.save()
    assert "No question can be counted" in page(client, survey)


def test_a_quota_that_no_longer_holds_is_named_there_and_at_the_opening() -> None:
    made = draft(
        sensitive(question("age", "young", "old")),
        plain(question("work")),
        quotas=QUOTAS[:1],
        languages=["en"],
    )
    (problem,) = [
        problem
        for problem in draft_problems(made.as_json(), timezone.localdate(), 20)
        if problem.path.startswith("quotas")
    ]
    assert problem.path == "quotas[0].answers.age"
    assert "would betray it" in problem.reason


def test_the_page_names_it_too(client: Client, survey: Survey) -> None:
    survey.draft = stored(sensitive(question("age", "young", "old")), quotas=QUOTAS[:1], languages=["en"])
    survey.save()
    assert "“age?” is sensitive" in page(client, survey)
    assert reverse("builder:quotas", args=[survey.pk]) in client.get(survey.get_absolute_url()).text


def test_a_draft_keeps_its_quotas_and_a_design_gets_them() -> None:
    asks = plain(question("age", "young", "old"), question("work", "employed", "none"))
    made = draft(asks, sensitive(question("theft")), quotas=QUOTAS, languages=["en"])
    assert read_questionnaire(made.as_json()) == made
    assert [quota.as_json() for quota in freeze_design(made.as_json()).quotas] == QUOTAS
    assert parse(design_json_from_draft(made.as_json())).quotas
    assert "quotas" not in draft(asks).as_json()


def test_quotas_follow_a_renamed_question_and_answer() -> None:
    made = draft(plain(question("age", "young", "old"), question("work", "employed", "none")), quotas=QUOTAS)
    renamed = rename_choice(rename_question(made, "age", "years"), "years", 0, "18-39")
    assert [dict(quota.answers) for quota in renamed.quotas] == [
        {"years": "18-39"},
        {"years": "old", "work": "none"},
    ]


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({"answers": {"age": "young"}, "limit": 200}, 200),
        ([{"answers": {"age": "young"}, "limit": "200"}], 200),
        ([{"answers": {"age": "young"}, "limit": 200.0}], 200),
        ([{"answers": {"age": "young"}, "limit": " 30 "}] * 2, 30),
    ],
)
def test_a_quota_in_a_file_is_read_tolerantly(given: object, limit: int) -> None:
    (quota,) = draft(plain(question("age", "young", "old")), quotas=given).quotas
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
def test_what_is_no_quota_in_a_file_is_kept_and_named(
    given: object, path: str, reason: str, client: Client, survey: Survey
) -> None:
    survey.draft = stored(plain(question("age", "young", "old")), quotas=[given], languages=["en"])
    survey.save()
    assert read_questionnaire(survey.draft).as_json() == survey.draft
    problems = draft_problems(survey.draft, timezone.localdate(), 20)
    assert [True for problem in problems if problem.path == path and reason in problem.reason]
    assert reason in page(client, survey)
    assert 'class="caution"' in page(client, survey)


def test_of_too_many_quotas_one_more_is_kept_and_named() -> None:
    many = [{"answers": {"age": str(number)}, "limit": 30} for number in range(60)]
    made = draft(plain(question("age", *map(str, range(60)))), quotas=many, languages=["en"])
    assert len(made.quotas) == MOST_QUOTAS + 1
    problems = draft_problems(made.as_json(), timezone.localdate(), 20)
    assert any("at most 50 quotas" in problem.reason for problem in problems)


def test_two_quotas_with_the_same_answers_and_other_numbers_are_both_kept_and_named() -> None:
    two = [{"answers": {"age": "young"}, "limit": limit} for limit in (30, 40)]
    made = draft(plain(question("age", "young", "old")), quotas=two, languages=["en"])
    problems = draft_problems(made.as_json(), timezone.localdate(), 20)
    assert any("the same answers" in problem.reason for problem in problems)


def test_a_preview_can_begin_with_all_quotas_full(client: Client, survey: Survey) -> None:
    act(client, survey, "add", first=YOUNG, limit=50)
    framed = reverse("builder:preview-page", args=[survey.pk])
    assert f"{framed}?full=1" in page(client, survey)
    assert '"full":[0]' in client.get(f"{framed}?full=1").text
    assert '"full":[]' in client.get(framed).text
