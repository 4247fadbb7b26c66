"""What is sent to the record endpoint is refused or stored exactly once; `./run bench mutate_envelopes` sends more."""

import os
import random
from collections import Counter
from typing import Any

import pytest
from django.test import Client

from intake.invitations.making import generate
from intake.models import FreshKey, Inbox, SeenKey, Token
from surveys.models import Survey
from tests.intake import asked, mutated

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("SEED", "20260301"))
REFUSED = {403, 413, 422}


def stored() -> Counter[bytes]:
    return Counter(bytes(record) for record in Inbox.objects.values_list("record", flat=True))


CLIENT = Client()


def post(survey: Survey, body: mutated.Body) -> Any:
    headers = {"Sec-Fetch-Site": body.site}
    return CLIENT.post(f"/a/{survey.slug}/record", body.data, content_type=body.content_type, headers=headers)


@pytest.mark.page
@pytest.mark.parametrize("invited", [False, True])
def test_each_is_refused_or_stored_exactly_once(invited: bool) -> None:
    print(f"SEED={SEED}")
    rng, wanted = random.Random(SEED), mutated.design()
    survey = asked.survey(wanted, invited=invited)
    unspent = generate(survey, 400) if invited else []
    expected: Counter[bytes] = Counter()
    statuses: Counter[int] = Counter()
    for number in range(400):
        body = mutated.body(rng, wanted, number, unspent[number] if invited else None)
        record = body.stored(wanted, frozenset(unspent) if invited else None)
        answers = [post(survey, body) for _turn in range(2)]
        statuses[answers[0].status_code] += 1
        assert len({len(answer.content) for answer in answers}) == 1
        if record is None:
            assert answers[0].status_code in REFUSED, body
            assert answers[1].status_code == answers[0].status_code, body
        else:
            expected[record.encode()] += 1
            assert [answer.status_code for answer in answers] == [201, 200], body
    assert stored() == expected
    assert FreshKey.objects.count() == sum(expected.values())
    assert not SeenKey.objects.exists()
    assert Token.objects.count() == len(unspent) - (sum(expected.values()) if invited else 0)
    assert 60 < statuses[201] < 340
    assert set(statuses) <= REFUSED | {201}
