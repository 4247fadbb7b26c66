"""A reviewer judges rules in the list: which rules it opens with, one decision, its undoing, and what others decide.

Two reviewers of one report have each a page opened before the other decided: nobody overrules what they have not seen,
and nobody publishes it.
"""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import REVIEWERS, History, Person
from reports.models import Decision, Publication, Review
from reports.review import regression_decisions, report_emails as letters_about, rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from runs.models import Itemset, Rule, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, with_role
from tests.reports import made
from tests.reports.conftest import Desk, Letters, accept, decide, page_text, reader
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
Verdict = Decision.Verdict


def add_rule(run: Run, place: int, **values: Any) -> None:
    """One more rule, like the first of `made.RULES` but for these values."""
    kept = list(Itemset.objects.filter(run=run).order_by("place"))
    one = made.rule(run, place, kept, **made.RULES[0])
    vars(one).update({"under": None} | values)
    Rule.objects.bulk_create([one])


def undo_listed(desk: Desk, page: str) -> tuple[int, dict[str, Any]]:
    """By the button of this list."""
    button = re.search(r'id="undo"[^>]* value="(\d+)" data-number="(\d+)"', page)
    assert button
    return desk.judge(f"rules/{button[2]}/undo", decision=button[1])


def test_each_decision_is_answered_and_leaves_the_list_until_none_is_left(desk: Desk) -> None:
    """Rule 3 cannot be estimated, rule 4 folds beneath rule 1."""
    page = desk.page()
    assert "2 rules left to decide" in page
    assert desk.listed_rule_numbers() == [1, 2]
    assert sorted(desk.listed_rule_numbers("?verdict=any")) == [1, 2, 3, 4]
    # A rule whose decision was undone can be shown first.
    assert desk.listed_rule_numbers("?first=2") == [2, 1]
    assert desk.listed_rule_numbers("?first=x") == desk.listed_rule_numbers("?first=99") == [1, 2]
    status, answer = desk.judge("rules/1/judge?lift=1", verdict="reject")
    assert answer["left"] == "1 rule left to decide"
    assert answer["said"] == "Rule 1: rejected. 1 rule left to decide."
    # The rules that the filter still fits: so a decision on all of them is not refused because of the script's own.
    assert (answer["fitting"], answer["fitting_words"]) == (1, "all 1 matching rules")
    assert desk.listed_rule_numbers() == [2]
    assert sorted(desk.listed_rule_numbers("?verdict=undecided")) == [2, 3, 4]
    status, answer = desk.judge("rules/2/judge?verdict=any", verdict="more-data")
    assert (status, answer["fitting"]) == (200, 4)
    decision = Decision.objects.latest("pk")
    assert (decision.verdict, decision.note, decision.rule.place) == ("more-data", "", 1)
    assert (answer["verdict"], answer["decision"]) == ("more-data", decision.pk)
    assert answer["undo"] == desk.address("rules/2/undo?verdict=any")
    assert desk.verdicts == ["reject", "more-data", None, None]
    page = desk.page()
    assert "No rule is left to decide" in page
    assert "2 rules are undecided because they fold beneath shorter rules or cannot be estimated." in page
    assert desk.address("publish") in page


def test_the_list_and_publishing_count_the_rules_that_need_a_decision_alike(desk: Desk) -> None:
    """Rules 1, 2 and 5 need a decision, and rule 5 shows no association; rules 3 and 4 need none."""
    add_rule(desk.review.run, 4, association=0)
    for number in (1, 2):
        desk.judge(f"rules/{number}/judge", verdict="reject")
    page = desk.page()
    assert "1 rule left to decide" in page
    assert "No rule is left to decide" not in page
    assert "Every rule that shows an association is decided" in page
    assert "2 rules are undecided because they fold beneath shorter rules" in page
    desk.judge("rules/5/judge", verdict="reject")
    assert "No rule is left to decide" in desk.page()
    page = desk.page("publish")
    assert "of them need" not in page
    assert "rule needs a decision" not in page
    assert "2 rules need none: they fold beneath shorter rules or cannot be estimated." in page


def test_what_cannot_be_estimated_or_folds_needs_no_decision(run: Run) -> None:
    unknown: tuple[dict[str, Any], ...] = (
        {"confidence_low": 0.0, "confidence_high": 1.0},
        {"confidence_low": None},
        {"confidence_high": None},
    )
    for place, values in enumerate(({}, *unknown, {"under": 0}), 4):
        add_rule(run, place, **values)
    queued = rules_with_verdicts(run).filter(rule_decisions.needs_decision_condition())
    assert sorted(row.place + 1 for row in queued) == [1, 2, 5]


def test_the_desk_opens_on_what_goes_together_and_rejects_the_others_at_once(desk: Desk) -> None:
    for place, association in enumerate((0, 0, -1), 4):
        add_rule(desk.review.run, place, association=association)
    assert desk.listed_rule_numbers() == [1, 2, 7]
    assert desk.listed_rule_numbers("?association=none") == [5, 6]
    assert desk.listed_rule_numbers("?association=any") == [1, 2, 5, 6, 7]
    page = desk.page()
    assert "2 more rules show no association." in page
    form = re.search(r'<form method="post" action="([^"]+)"[^>]*reject-others.*?</form>', page, re.DOTALL)
    assert form
    sent = dict(re.findall(r'<input type="hidden" name="(which|fitting|verdict)" value="(\w+)">', form[0]))
    back = desk.client.post(form[1].replace("&amp;", "&"), sent).headers["Location"]
    assert desk.verdicts == [None, None, None, None, "reject", "reject", None]
    page = desk.client.get(back).content.decode()
    assert "show no association" not in page
    _status, answer = undo_listed(desk, page)
    assert answer["count"] == 2
    assert desk.verdicts == [None] * 7


def test_without_a_script_the_list_comes_again_and_offers_to_undo(desk: Desk, superuser: Person) -> None:
    # Nothing is there to undo at first, nor what somebody else decided.
    for page in ("rules", "rules?last=1", "rules?last=x", "rules?last=99999999999"):
        assert re.search(r'<button[^>]*id="undo"[^>]*disabled', desk.page(page)), page
    answer = desk.client.post(desk.address("rules/1/judge?lift=1"), {"verdict": "accept"}, follow=True)
    assert answer.redirect_chain[-1][0] == desk.address("rules?lift=1&last=1")
    page = answer.content.decode()
    assert "Rule 1: accepted." in page
    button = re.search(r'<button[^>]*id="undo"[^>]*>', page)
    assert button
    assert "disabled" not in button[0]
    address, value = re.search(r'formaction="([^"]+)"', button[0]), re.search(r'value="(\d+)"', button[0])
    assert address
    assert value
    desk.client.post(address[1].replace("&amp;", "&"), {"decision": value[1]})
    assert desk.verdicts == [None] * 4
    rule = desk.review.run.rules.get(place=1)
    Decision.objects.create(rule=rule, reviewer=superuser, verdict="accept", when=NOW)
    assert re.search(r'<button[^>]*id="undo"[^>]*disabled', desk.page("rules?last=2"))


def test_what_makes_no_sense_stores_nothing_and_is_said(desk: Desk, subtests: pytest.Subtests) -> None:
    for page, data in (
        ("rules/1/judge", {"verdict": "praise"}),
        ("rules/1/judge", {"verdict": "undecided"}),
        ("rules/1/judge", {}),
        ("rules/99/judge", {"verdict": "accept"}),
        ("rules/1/undo", {"decision": "1"}),
        ("rules/1/undo", {"decision": "x"}),
        ("rules/1/undo", {}),
    ):
        with subtests.test(page=page, data=data):
            status, answer = desk.judge(page, **data)
            assert status == 409
            assert answer["said"]
            assert not Decision.objects.exists()
    # Without a script.
    page = desk.post("rules/1/judge", verdict="praise")
    assert 'class="toast error"' in page
    assert 'class="toast error"' in desk.post("rules/1/undo", decision="x")
    assert not Decision.objects.exists()


def test_once_published_the_list_has_no_buttons_and_takes_no_decision(desk: Desk, reviewer: Person) -> None:
    accept(desk.review, reviewer, 1)
    decision = Decision.objects.get()
    made.publish(desk.review, reviewer)
    page = desk.page()
    assert "data-judging" not in page
    assert "/judge" not in page
    for where, data in (("judge", {"verdict": "reject"}), ("undo", {"decision": decision.pk})):
        status, answer = desk.judge(f"rules/1/{where}", **data)
        assert (status, "published or withdrawn" in answer["said"]) == (409, True)
    assert Decision.objects.get() == decision


def undo_decision(desk: Desk, number: int, decision: Decision) -> tuple[int, dict[str, Any]]:
    return desk.judge(f"rules/{number}/undo", decision=decision.pk)


def test_undo_is_stored_as_a_further_decision(desk: Desk, reviewer: Person) -> None:
    desk.judge("rules/1/judge", verdict="accept")
    first = Decision.objects.get()
    status, answer = undo_decision(desk, 1, first)
    assert (status, answer["verdict"]) == (200, "")
    assert answer["said"] == "Rule 1: undecided. 2 rules left to decide."
    assert desk.verdicts == [None] * 4
    second = Decision.objects.exclude(pk=first.pk).get()
    note = "Takes back the decision “accepted”."
    assert (second.verdict, second.reviewer, second.note) == ("undecided", reviewer, note)
    assert note in desk.page("rules/1")
    assert desk.listed_rule_numbers() == [1, 2]
    rows = History.objects.filter(what__startswith="reports.").order_by("pk").values_list("what", "note")
    assert list(rows)[-2:] == [("reports.accepted", "Run 1."), ("reports.undone", "Run 1.")]
    # An undone rule counts as undecided and is not published.
    accept(desk.review, reviewer, 2)
    counts = rule_decisions.count_by_verdict(desk.review.run)
    assert counts == {"accept": 1, "reject": 0, "more_data": 0, "undecided": 3}
    publication = made.publish(desk.review, reviewer)
    assert [rule["number"] for rule in publication.rules] == [2]
    assert publication.content["left_out"]["undecided"] == 3


def test_an_undo_restores_the_decision_before_but_not_somebody_elses(desk: Desk, reviewer: Person) -> None:
    accept(desk.review, reviewer, 1)
    desk.judge("rules/1/judge", verdict="reject")
    first, second = Decision.objects.order_by("pk")
    assert undo_decision(desk, 1, second)[1]["verdict"] == "accept"
    # One step further back: what came after it is all this person's.
    assert undo_decision(desk, 1, first)[1]["verdict"] == ""
    assert desk.verdicts == [None] * 4
    assert Decision.objects.count() == 4


def test_nobody_undoes_somebody_elses_decision(desk: Desk, reviewer: Person, superuser: Person) -> None:
    accept(desk.review, reviewer, 1)
    mine, rule = Decision.objects.get(), desk.review.run.rules.get(place=0)
    theirs = Decision.objects.create(rule=rule, reviewer=superuser, verdict="reject", when=NOW)
    for decision in (mine, theirs):
        status, answer = undo_decision(desk, 1, decision)
        assert status == 409
        assert answer["said"] == (
            "You cannot undo this decision, because someone else has decided on the rule since. "
            "Decide on the rule again instead."
        )
    with pytest.raises(NotAllowed):
        rule_decisions.undo_decision(desk.review, reviewer, 2, mine.pk, NOW)
    assert desk.verdicts[0] == "reject"


def judge_many(desk: Desk, verdict: str, *numbers: int) -> str:
    """Decide on the ticked rules; the address of the list that comes then."""
    data = {"which": "ticked", "rule": numbers, "verdict": verdict, "note": "", "fitting": 0}
    return str(desk.client.post(desk.address("rules/decide"), data).headers["Location"])


def test_one_undo_reverts_all_decisions_of_a_group(desk: Desk, reviewer: Person, superuser: Person) -> None:
    decide(desk.review, reviewer, Verdict.REJECT, 2)
    back = judge_many(desk, "accept", 1, 2, 3)
    assert back.endswith("last=1")
    assert desk.verdicts == ["accept"] * 3 + [None]
    status, answer = undo_listed(desk, desk.client.get(back).content.decode())
    assert (status, answer["count"]) == (200, 3)
    assert answer["said"] == "3 decisions undone. 1 rule left to decide."
    assert desk.verdicts == [None, "reject", None, None]
    assert History.objects.filter(what="reports.undone").get().note == "Run 1."
    # Without a script it is said too.
    accept(desk.review, reviewer, 1, 3)
    last = Decision.objects.filter(rule__place=0).latest("pk")
    assert "2 decisions undone." in desk.post("rules/1/undo", decision=last.pk)
    assert desk.verdicts == [None, "reject", None, None]
    # It leaves what somebody else has decided since.
    accept(desk.review, reviewer, 1, 2, 3)
    rule = desk.review.run.rules.get(place=1)
    Decision.objects.create(rule=rule, reviewer=superuser, verdict="reject", when=NOW)
    first = Decision.objects.filter(rule__place=0).latest("pk")
    assert undo_decision(desk, 1, first)[1]["count"] == 2
    assert desk.verdicts == [None, "reject", None, None]


def test_reviewer_email_links_to_the_desk(
    review: Review, reviewer: Person, sent_emails: Letters, judging: Client
) -> None:
    letters_about.send_waiting(review)
    (letter,) = sent_emails()
    assert letter.to == [reviewer.email]
    link = re.search(r"http://testserver(\S+)", str(letter.body))
    assert link
    assert link[1] == f"/app/admin/reports/review/{review.pk}/rules"
    assert "Work & health" in letter.body
    assert judging.get(link[1]).status_code == 200


def test_only_those_who_get_an_email_are_told_that_they_get_one_and_a_reviewer_sees_the_results_first(
    review: Review, owner: Person, viewer: Person, superuser: Person, reviewer: Person, signed_in_as: As,
    reading: Client, judging: Client,
) -> None:  # fmt: skip
    told = "We will email you"
    for person, is_told in ((owner, True), (viewer, True), (superuser, False), (reviewer, False)):
        for address in (reader(""), f"/app/runs/{review.pk}/"):
            assert (told in page_text(signed_in_as(person), address)) is is_told, (person, address)
    assert "This report waits for your review" in page_text(judging, reader(""))
    assert "Nobody sees it before a reviewer has decided" in page_text(reading, reader(""))
    address = f"/app/surveys/{review.survey.pk}/runs"
    assert "before you see them" in page_text(reading, address)
    page = page_text(judging, address)
    assert "before you see them" not in page
    assert "before the researchers see them" in page


MEANWHILE = "Second Reviewer has decided since you opened this page: rule {}: {}. Nothing was changed."


@pytest.fixture
def second_reviewers_desk(review: Review, signed_in_as: As) -> Desk:
    second = with_role(REVIEWERS, "second", name="Second Reviewer")
    return Desk(signed_in_as(second), review)


def seen_value(page: str) -> str:
    """What every form of this page says that it shows."""
    (value,) = set(re.findall(r'name="seen" value="(\w+)"', page))
    return str(value)


def test_decision_of_another_is_not_overruled_unseen(desk: Desk, second_reviewers_desk: Desk) -> None:
    opened = seen_value(desk.page())
    # One's own decisions are no surprise.
    for verdict in (Verdict.ACCEPT, Verdict.REJECT):
        assert desk.judge("rules/2/judge", verdict=verdict, seen=opened)[0] == 200
    second_reviewers_desk.judge(
        "rules/1/judge", verdict="reject", note="By chance.", seen=seen_value(second_reviewers_desk.page())
    )
    status, answer = desk.judge("rules/1/judge", verdict="accept", seen=opened)
    assert status == 409
    assert answer["said"].startswith(MEANWHILE.format(1, "rejected"))
    assert desk.verdicts[0] == "reject"
    # Both may say the same, and an undone decision says nothing.
    assert desk.judge("rules/1/judge", verdict="reject", seen=opened)[0] == 200
    second_reviewers_desk.judge("rules/3/judge", verdict="accept")
    second_reviewers_desk.judge("rules/3/undo", decision=Decision.objects.get(rule__place=2).pk)
    assert desk.judge("rules/3/judge", verdict="reject", seen=opened)[0] == 200
    # Nor does the page of a rule, nor a decision on many.
    page = desk.page("rules/1")
    one = seen_value(page)
    second_reviewers_desk.judge("rules/1/judge", verdict="accept", seen=one)
    assert MEANWHILE.format(1, "accepted") in desk.post("rules/1/decide", verdict="reject", seen=one)
    assert desk.verdicts[0] == "accept"
    query, before = "?verdict=any&association=any", desk.verdicts
    for which in ({"which": "ticked", "rule": ["1", "2"], "fitting": 4}, {"which": "fitting", "fitting": 4}):
        page = desk.post(f"rules/decide{query}", verdict="reject", seen=one, **which)
        assert MEANWHILE.format(1, "accepted") in page
        assert desk.verdicts == before
    # Who has seen it may.
    assert desk.judge("rules/1/judge", verdict="reject", seen=seen_value(desk.page("rules/1")))[0] == 200
    assert desk.verdicts[0] == "reject"


def test_unseen_decisions_are_not_published(
    desk: Desk, second_reviewers_desk: Desk, reviewer: Person
) -> None:
    accept(desk.review, reviewer, 1)
    opened = seen_value(desk.page("publish"))
    second_reviewers_desk.judge("rules/1/judge", verdict="reject")
    page = desk.post("publish", groups="age", seen=opened)
    assert "Decisions on this report have changed since you opened this page." in page
    assert not Publication.objects.exists()
    assert Review.objects.get().state == "in-review"
    second_reviewers_desk.post("publish", groups="age", seen=seen_value(page))
    assert Publication.objects.get().content["left_out"]["rejected"] == 1
    assert "This report is published already." in desk.post("publish", seen=seen_value(page))
    assert "its rules are decided" in desk.post("rules/1/decide", verdict="accept", seen="0")


def test_a_model_is_not_overruled_unseen(owner: Person, judging: Client, broker: object) -> None:
    run: Run = sealed.model_run(sealed.model_survey(owner), owner)
    model, review = sealed.model(run, owner).model, made.waiting_review(run)
    desk, second = Desk(judging, review), with_role(REVIEWERS, "second", name="Second Reviewer")
    opened = seen_value(desk.page("models"))
    regression_decisions.decide_model(review, second, model, Verdict.ACCEPT, "", NOW)
    page = desk.post("models/1/decide", verdict="reject", seen=opened)
    assert "Second Reviewer has decided since you opened this page: accepted." in page
    assert regression_decisions.accepted_unpublished_models(run).exists()
    desk.post("models/1/decide", verdict="reject", seen=seen_value(page))
    assert not regression_decisions.accepted_unpublished_models(run).exists()


def test_decision_without_a_seen_token_is_not_compared(review: Review, reviewer: Person) -> None:
    """A command, and a page of an older version, which has no such field."""
    second = with_role(REVIEWERS, "second")
    for person, verdict in ((second, Verdict.ACCEPT), (reviewer, Verdict.REJECT)):
        decide(review, person, verdict, 1)
    rules = rules_with_verdicts(review.run).filter(place=0)
    with pytest.raises(NotAllowed, match="Nothing was changed"):
        rule_decisions.decide_rules(review, second, rules, Verdict.ACCEPT, "", NOW, seen=0)
