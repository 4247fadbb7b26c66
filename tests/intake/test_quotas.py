"""Quotas from the batch to the page: what is counted, what the page tells, and what the ledger holds."""

import re
import secrets
from collections.abc import Iterator
from datetime import timedelta
from unittest.mock import patch
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from intake.batches import merging, sealed_batch_reader, sealing
from intake.disclosure import ledger
from intake.disclosure.attack_on_all_disclosures import attack_all_disclosures
from intake.disclosure.models import Disclosure, DisclosureKind, Population, QuotaCell
from intake.endpoint.epochs import epoch_at
from intake.models import Inbox, Sweep
from intake.pages.respondent_views import load_survey_page
from intake.study_sheet.ethics_board_sheet import StudySheet
from mining.disclosure.noisy_full_quota_decision import QUOTA_NOISE, QuotaNoise
from surveys.lifecycle import quota_states, state_changes as lifecycle
from surveys.models import Survey
from surveys.needs_no_script import can_be_answered_without_script
from tests.browser.questionnaires import PAIR, TAX, crosswise
from tests.cast import As
from tests.intake import asked
from tests.intake.asked import CLIENT, make_design
from tests.intake.test_pages import Elements

pytestmark = [pytest.mark.page, pytest.mark.django_db]
SEXES = [{"name": "f", "label": "Female"}, {"name": "m", "label": "Male"}]
SEX = {"name": "sex", "text": "Sex?", "choices": SEXES}
AGE = {"name": "age", "choices": ["young", "old"]}
PLAIN = {"kind": "plain", "questions": [SEX, AGE]}
QUOTAS = [
    {"answers": {"sex": "f"}, "limit": 30},
    {"answers": {"sex": "f", "age": "old"}, "limit": 30},
    {"answers": {"sex": "m"}, "limit": 30},
]
LANGUAGES = {"languages": ["en", "zh-hans"]}
ASKS = make_design(PLAIN, least=20, quotas=QUOTAS)
FULL = 30 + QUOTA_NOISE[2].margin
"""People in a cell with which it is told, where the noise is 0."""


@pytest.fixture(autouse=True)
def no_noise() -> Iterator[None]:
    with patch.object(QuotaNoise, "draw", lambda noise, below: 0):
        yield


def take_answers(survey: Survey, answers: str, many: int) -> None:
    assert survey.design
    asks = survey.design.content
    asked.take_in(survey, (asked.envelope_of(asks, answers) for _person in range(many)))


def seal_all(survey: Survey) -> None:
    assert sealing.seal_records(survey.pk, seals_all=True)


def page(survey: Survey) -> dict[str, object]:
    return Elements(CLIENT.get(survey.address).text).page_settings


def test_quota_is_counted_in_each_batch_and_announced_when_full() -> None:
    waiting, survey = asked.survey(ASKS), asked.survey(ASKS)
    take_answers(waiting, "01", FULL + 40)
    assert page(waiting)["full"] == [], "what waits is not counted"
    QuotaCell.objects.all().delete()
    take_answers(survey, "01", 30)
    take_answers(survey, "10", 5)
    seal_all(survey)
    assert page(survey)["full"] == []
    assert [row.count for row in QuotaCell.objects.order_by("quota")] == [30, 30, 5]
    take_answers(survey, "00", FULL - 31)
    seal_all(survey)
    assert page(survey)["full"] == []
    take_answers(survey, "01", 1)
    take_answers(survey, "10", 19)
    seal_all(survey)
    assert page(survey)["full"] == [0]


def full_survey() -> Survey:
    survey = asked.survey(ASKS)
    take_answers(survey, "00", FULL)
    seal_all(survey)
    return survey


def test_full_quota_enters_the_ledger_once_and_stays_full() -> None:
    survey = full_survey()
    (row,) = ledger.list_disclosures(survey, DisclosureKind.QUOTA)
    assert (row.key, row.last_batch, row.number) == ("quota 0", 1, 1)
    assert row.tables["quota"] == {"answers": {"sex": "f"}, "limit": 30}
    assert not {"count", "bar", "records"} & row.tables.keys()
    assert row.population == Population.SEALED
    take_answers(survey, "00", 40)
    seal_all(survey)
    # It stays full whatever the noise of later batches.
    with patch.object(QuotaNoise, "draw", lambda noise, below: 10_000):
        take_answers(survey, "10", 20)
        seal_all(survey)
    assert Disclosure.objects.count() == 1
    assert page(survey)["full"] == [0]


def test_quota_bar_is_drawn_once_and_noise_for_each_batch() -> None:
    with patch.object(QuotaNoise, "draw", return_value=3) as draw:
        survey = asked.survey(make_design(PLAIN, least=20, quotas=QUOTAS[:1]))
        for _batch in range(3):
            take_answers(survey, "10", 20)
            seal_all(survey)
    assert draw.call_count == 1 + 3
    assert [row.bar for row in QuotaCell.objects.all()] == [3]


def test_quotas_on_one_question_set_need_less_noise_than_on_two() -> None:
    survey = asked.survey(make_design(PLAIN, least=20, quotas=[QUOTAS[0], QUOTAS[2]]))
    take_answers(survey, "00", 30 + QUOTA_NOISE[1].margin)
    take_answers(survey, "10", 30 + QUOTA_NOISE[1].margin - 1)
    seal_all(survey)
    assert page(survey)["full"] == [0]


def test_batches_are_not_merged_across_quota_announcements() -> None:
    survey = full_survey()
    for _batch in range(9):
        take_answers(survey, "10", 20)
        seal_all(survey)
    merging.reduce_batches_by_merging(survey.pk)
    assert ledger.last_batches_of_disclosures(survey.pk) == {1, 7}
    assert {1, 7} <= {batch.last for batch in sealed_batch_reader.read_batches(survey, 10)}
    assert attack_all_disclosures(survey).smallest is None


def finish(survey: Survey) -> None:
    lifecycle.close_survey(survey, None, timezone.now())
    survey.refresh_from_db()
    lifecycle.finish_survey(survey, None, timezone.now())


def test_survey_can_finish_while_a_quota_fills() -> None:
    survey = asked.survey(ASKS)
    take_answers(survey, "00", FULL)
    finish(survey)
    assert [row.door for row in Disclosure.objects.order_by("number")] == ["quota", "finishing"]


def test_finished_survey_keeps_which_quotas_were_full_and_no_count() -> None:
    survey = full_survey()
    finish(survey)
    rows = QuotaCell.objects.order_by("quota").values_list("quota", "bar", "count", "full_after")
    assert list(rows) == [(0, 0, 0, 1), (1, 0, 0, 0), (2, 0, 0, 0)]
    assert Sweep.objects.filter(table=QuotaCell._meta.db_table).exists()
    assert [state.is_full for state in quota_states.quota_states(survey)] == [True, False, False]
    ledger.on_destruction(survey)
    assert not QuotaCell.objects.exists()


def test_survey_without_quotas_sends_no_quota_member_and_counts_none() -> None:
    survey = asked.survey(make_design(PLAIN, least=20))
    take_answers(survey, "00", 40)
    seal_all(survey)
    assert "full" not in page(survey)
    assert not QuotaCell.objects.exists()
    # A preview can show the end.
    assert load_survey_page(ASKS, "preview").settings["full"] == []
    assert load_survey_page(ASKS, "preview", full_quotas=[0, 1, 2]).settings["full"] == [0, 1, 2]


# --- without JavaScript


def form_body(survey: Survey, *answers: str, key: str = "") -> str:
    html = CLIENT.get(f"{survey.address}/form").content.decode()
    full = re.search(r'name="full" value="([01]*)"', html)
    assert full
    given = {f"answer-{index}": answer for index, answer in enumerate(answers)}
    epoch = f"{epoch_at(timezone.now()):04}"
    return urlencode({"key": key or secrets.token_hex(16), "epoch": epoch, "full": full[1]} | given)


def send(survey: Survey, body: str) -> str:
    return str(asked.post_form(survey, body).text)


def test_form_without_javascript_stores_nothing_of_a_person_over_quota() -> None:
    """An outsider can fill a cell of an open link with records of their own: from then on a record of a visitor who
    came later is not in the cell, for certain (the page /limits, full-quotas)."""
    survey = full_survey()
    assert page(survey)["full"] == [0]
    assert "were not stored" in send(survey, form_body(survey, "0", "1"))
    assert not Inbox.objects.exists()
    body = form_body(survey, "1", "0")
    assert "Something is missing" in send(survey, body.replace("full=100", "full=101"))
    assert "have been received" in send(survey, body)
    # Whoever was under way is accepted as any other.
    assert asked.post(survey, asked.envelope_of(ASKS, "00")).status_code == 201


def test_form_from_before_a_quota_was_full_is_accepted_and_known_again() -> None:
    survey = asked.survey(ASKS)
    body, key = form_body(survey, "0", "0"), secrets.token_hex(16)
    again = form_body(survey, "0", "0", key=key)
    assert "have been received" in send(survey, again)
    take_answers(survey, "00", FULL - 1)
    seal_all(survey)
    assert "have been received" in send(survey, body)
    assert "had already arrived" in send(survey, again.replace("full=000", "full=100"))


def test_form_with_another_quota_list_is_refused_and_refused_forms_are_not_over_quota() -> None:
    survey, full = asked.survey(ASKS), full_survey()
    for listed in ("", "00", "002"):
        body = form_body(survey, "0", "0").replace("full=000", f"full={listed}")
        assert "Something is missing" in send(survey, body), listed
    body = form_body(full, "0", "1")
    lifecycle.close_survey(full, None, timezone.now())
    Survey.objects.filter(pk=full.pk).update(closed_at=timezone.now() - timedelta(days=1))
    shown = send(full, body)
    assert "Enough people like you" not in shown
    assert "You can no longer answer this survey" in shown


def test_form_page_is_missing_with_a_sensitive_question_and_quotas() -> None:
    assert can_be_answered_without_script(ASKS)
    assert can_be_answered_without_script(make_design(PLAIN, crosswise(PAIR), **LANGUAGES))
    assert not can_be_answered_without_script(make_design(PLAIN, crosswise(PAIR), quotas=QUOTAS, **LANGUAGES))
    assert not can_be_answered_without_script(make_design(PLAIN, TAX, quotas=QUOTAS, **LANGUAGES))


# --- what researchers and boards see


def test_survey_page_states_the_quota_state_and_no_count(owner: Person, signed_in_as: As) -> None:
    survey = full_survey()
    Survey.objects.filter(pk=survey.pk).update(owner=owner)
    states = quota_states.quota_states(survey)
    assert [(state.answers, state.limit, state.is_full) for state in states] == [
        ([("Sex?", "Female")], 30, True),
        ([("Sex?", "Female"), ("age", "old")], 30, False),
        ([("Sex?", "Male")], 30, False),
    ]
    shown = signed_in_as(owner).get(reverse("surveys:survey", args=[survey.pk])).text
    row = r'<strong>(Female|old|Male)</strong></th><td class="number">(\d+)</td><td>([^<]+)<'
    told = {"Female": "told as full", "old": "not told as full", "Male": "not told as full"}
    assert re.findall(row, shown) == [(name, "30", said) for name, said in told.items()]
    assert f">{FULL}<" not in shown


def test_start_page_and_study_sheet_mention_quotas(owner: Person) -> None:
    survey = asked.survey(ASKS)
    Survey.objects.filter(pk=survey.pk).update(owner=owner)
    assert "Only a limited number of people" in CLIENT.get(survey.address).text
    assert "Only a limited number of people" in CLIENT.get(f"{survey.address}/form").text
    sheet = StudySheet(survey, ASKS, "en").page()
    assert "only so many are wanted" in sheet
    assert '<span lang="en">Sex? Female</span>; <span lang="en">age old</span>: 30' in sheet
    without = asked.survey(make_design(PLAIN, least=20))
    assert "Only a limited number of people" not in CLIENT.get(without.address).text
