"""Counts how far each quota of a survey is filled, whenever a batch is sealed, and enters full quotas in the ledger.

Published is only which quotas are full, never a count. It is decided after each batch by the rule of
`mining/disclosure/noisy_full_quota_decision.py`, which is safe beside all other disclosures, later ones included. A
published quota stays in its ledger row.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext_noop

from intake.batches.sealing import random_below
from intake.disclosure import ledger
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import DisclosureKind, Population, QuotaCell
from intake.endpoint.accept_record import PublicSurvey
from mining.disclosure.noisy_full_quota_decision import QUOTA_NOISE, Below, QuotaCount
from privacy.designs import Design
from privacy.designs.quotas import question_sets
from privacy.kinds.answer_code_array_type import Codes
from surveys.models import Survey

TITLE = gettext_noop("a quota that is full")


def on_batch_sealed(survey: Survey, number: int, design: Design, codes: Codes, **kwargs: Any) -> None:
    """Adds the records of a new batch to the counts of quotas, in the transaction that seals it and holds the
    survey's lock."""
    if design.quotas:
        count_quotas_in_batch(survey, number, design, codes, random_below)


def count_quotas_in_batch(
    survey: Survey, number: int, design: Design, codes: Codes, draw_below: Below
) -> None:
    """Adds the records of a batch to the count of each quota, and enters quotas that are now full in the ledger.

    `codes`: the answers by question; `below(n)` draws the noise of the decision, from 0 to n-1.
    """
    noise = QUOTA_NOISE[len(question_sets(dict(quota.answers) for quota in design.quotas))]
    rows = {row.quota: row for row in QuotaCell.objects.filter(survey=survey.pk)}
    for index, quota in enumerate(design.quotas):
        row = rows.get(index) or QuotaCell(survey_id=survey.pk, quota=index, bar=noise.draw(draw_below))
        is_in_cell = np.all([codes[question] == code for question, code in quota.codes], axis=0)
        before = QuotaCount(quota.limit, noise.margin, row.bar, row.count, row.full_after)
        after = before.after_batch(number, int(is_in_cell.sum()), noise.draw(draw_below))
        row.count, row.full_after = after.count, after.full_after
        row.save()
        if after.full_after and not before.full_after:
            _publish_full_quota(survey, design, index, number)


def _publish_full_quota(survey: Survey, design: Design, index: int, number: int) -> None:
    statement = {"quota": design.quotas[index].as_json(), "full": True}
    proposed = ProposedDisclosure(
        DisclosureKind.QUOTA,
        f"quota {index}",
        TITLE,
        number,
        Population.SEALED,
        statement,
        digest=ledger.content_digest(statement),
    )
    ledger.write_disclosure(survey, proposed, None, timezone.now())


def full_quotas(public: PublicSurvey) -> list[int]:
    """Returns the numbers of the survey's full quotas, which its page shows."""
    return full_quotas_by_survey([public.survey]).get(public.survey, []) if public.design.quotas else []


def full_quotas_by_survey(surveys: Collection[int]) -> dict[int, list[int]]:
    """Returns the numbers of the full quotas by survey id; surveys without a full quota are left out."""
    full: dict[int, list[int]] = {}
    rows = QuotaCell.objects.filter(survey__in=surveys, full_after__gt=0).order_by("quota")
    for survey, quota in rows.values_list("survey", "quota"):
        full.setdefault(survey, []).append(quota)
    return full
