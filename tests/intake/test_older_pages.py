"""What a page sends that was opened before an upgrade: its bytes stand here as an earlier version wrote them, and every
later version takes them. `./run bench upgrade` replaces whole instances while people answer."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from intake.endpoint.epochs import epoch_at
from intake.models import Inbox
from privacy.designs import Design, parse
from surveys.models import Survey
from tests.intake import asked

pytestmark = [pytest.mark.page, pytest.mark.django_db]

SAID = {"format": "candor-design/1", "languages": ["en"], "least": 20, "title": {"en": "Work and health"}}
AGE = {"name": "age", "form": "one", "choices": [{"name": "young"}, {"name": "old"}]}
THEFT = {"name": "theft", "form": "yes-no", "choices": [{"name": "no"}, {"name": "yes"}]}
PLAIN: dict[str, Any] = {"kind": "plain", "questions": [AGE]}
SENSITIVE: dict[str, Any] = {
    "kind": "unrelated-question",
    "keep": "0.7000",
    "questions": [{**THEFT, "noise": ["0.5000", "0.5000"]}],
}
RECORD = (
    '{"key":"0123456789abcdef0123456789abcdef","epoch":%d,"record":{"design":'
    '"DESIGN","group":1,"answers":"01"}}'
)
"""As pages wrote it before 1.0.0, in November 2026."""
FORM = "key=0123456789abcdef0123456789abcdef&epoch=%04d&answer-0=1"


def opened(*sections: dict[str, Any]) -> tuple[Survey, Design]:
    design = parse(json.dumps({**SAID, "sections": sections}))
    return asked.survey(design), design


def test_a_record_of_a_page_that_was_opened_before_is_stored_once() -> None:
    survey, design = opened(PLAIN, SENSITIVE)
    body = RECORD.replace("DESIGN", design.fingerprint) % epoch_at(timezone.now())
    answers = [asked.post(survey, body) for _time in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert [answer.json()["outcome"] for answer in answers] == ["stored", "already stored"]
    assert bytes(Inbox.objects.get().record) == b"101"


def test_a_form_without_a_script_that_was_opened_before_is_stored() -> None:
    survey, _design = opened(PLAIN)
    body = FORM % epoch_at(timezone.now())
    kind = "application/x-www-form-urlencoded"
    assert Client().post(f"{survey.address}/form", body, content_type=kind).status_code < 400
    assert bytes(Inbox.objects.get().record) == b"11"
