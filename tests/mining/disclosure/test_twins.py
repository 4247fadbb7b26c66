"""Whatever leaves a survey is a function of what may be told: twins with the same told cells leave the same bytes.

Twins are two sources of one design. Their told cells and their verdicts are equal by construction, and a withheld
cell, a withheld class or an open person differs.
"""

import pytest

from tests.mining.disclosure.documents import differences, documents
from tests.mining.disclosure.random_studies import PARTS, random_study
from tests.wake_ups import broker

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]


def test_the_same_records_leave_the_same_bytes() -> None:
    study = random_study(PARTS.index("model"))
    first, second = (documents(study, study.records, languages=["en"]) for _time in range(2))
    assert not [*differences(first, second)]
