"""Tests for copied records: in each batch soon after sealing, and in all records of a run together.

One significance level covers all tests of a survey: batch t gets LEVEL/2 * 1/(t(t+1)) of it, the batches first..last
the sum of their parts. Copies too few to be found in any batch may be found in all records. So a run also tests the
batches 1..t as one pool, at the same level as batch t alone. The test is `mining.error.copied_record_lower_bound`.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from math import floor

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from intake.disclosure import record_selection
from intake.models import Batch
from mining.error.copied_record_lower_bound import count_excess_copies
from privacy.records.batch_bit_columns import Columns, columns_from_bytes, unpack_groups, unpack_question
from runs.models import Run
from runs.run_records import take_records_from_first_batches
from surveys.models import Design, Survey
from surveys.tabs_and_warnings import SurveyWarning
from ui.number_format import format_percent
from ui.sentence_joining import join_sentences

logger = logging.getLogger(__name__)

LEVEL = 0.001
"""The largest probability that a survey without forged records is ever reported to have some."""
EVERY = timedelta(seconds=10)
MOST_AT_ONCE = 500
"""Largest number of batches that one call of the scheduler tests."""
MOST_POOLED = 2_000_000
"""Largest number of records that one test holds in memory; it takes the first of a larger run or batch."""
FEW = 10
"""Smallest number of copies that is shown; smaller numbers are replaced by "fewer than"."""


def significance_level(first_batch: int, last_batch: int) -> float:
    """Returns the significance level of the test of the batches first..last: LEVEL/2 times the sum of 1/(t(t+1)) over
    their numbers t."""
    return LEVEL / 2 * (1 / first_batch - 1 / (last_batch + 1))


def find_copies_in_new_batches(now: datetime) -> None:
    """Tests for copied records all batches that were not tested yet; the scheduler calls this function."""
    waiting = Batch.objects.filter(copies=None)
    for survey in waiting.order_by().values_list("survey", flat=True).distinct():
        try:
            store_copies_found_in_batches(waiting.filter(survey=survey).order_by("first")[:MOST_AT_ONCE])
        except Exception:
            logger.exception("copies were not looked for in survey %s; it is tried again", survey)


def store_copies_found_in_batches(batches: QuerySet[Batch]) -> None:
    """Tests each batch of the query `batches` for copied records, and stores a lower bound of their number."""
    # No cursor stays open: SQLite refuses a write to a connection that reads what another has changed meanwhile.
    for pk in list(batches.values_list("pk", flat=True)):
        batch = Batch.objects.select_related("survey").filter(pk=pk).first()
        if batch is None:
            continue
        design = Design.load_parsed(batch.survey.design_id or "")
        copies = copies_lower_bound(
            [columns_from_bytes(design, batch.columns)],
            significance_level(batch.first, batch.last),
        )
        Batch.objects.filter(pk=pk).update(copies=copies)


def copies_lower_bound(parts: Sequence[Columns], level: float) -> int:
    """Returns a lower bound of the number of copies among the given records, or among the first `MOST_POOLED` of
    them."""
    design, parts = parts[0].design, take_records_from_first_batches(parts, MOST_POOLED)
    return count_excess_copies(design, unpack_groups(parts), partial(unpack_question, parts), level).excess


def merge_barriers_of_untested_batches(survey: int) -> Collection[int]:
    """Returns the batch numbers that no merge of batches may reach across, since it would hide copies in a batch not
    tested yet."""
    waiting = Batch.objects.filter(survey=survey, copies=None).values_list("first", "last")
    return {t for first, last in waiting for t in (first - 1, last)}


def run_copies_lower_bound(run: Run) -> int:
    """Returns a lower bound of the copies among the records of a run; the same for all runs over the same batches."""
    earlier = Run.objects.filter(survey=run.survey_id, through=run.through, copies__isnull=False)
    known = earlier.values_list("copies", flat=True).first()
    if known is not None:
        return known
    used = Batch.objects.filter(survey=run.survey_id, last__lte=run.through)
    store_copies_found_in_batches(used.filter(copies=None).order_by("first"))
    apart: int = used.aggregate(copies=Sum("copies"))["copies"] or 0
    if run.through == 1:
        return apart
    pool = [
        batch.columns
        for batch in record_selection.read_sealed_batches(run.survey, run.through, most=MOST_POOLED)
    ]
    return max(apart, copies_lower_bound(pool, significance_level(run.through, run.through)))


# --- what is said of them ---


def copies_sentence(run: Run) -> str:
    """Returns the sentence about copies for readers of a run: in whole percents, and no number below ten."""
    if run.copies is None or not run.disguised or not run.content.has_disguise:
        return ""
    warning = _words_of_warning(is_invited=run.survey.invited)
    if not run.copies:
        words = _(
            "No more disguised answers are identical than the disguise explains. Some of them can still be copies."
        )
        return join_sentences([words, _advice(is_invited=run.survey.invited)])
    share = floor(100 * run.copies / run.disguised)
    if run.copies < FEW or not share:
        return warning
    number = _("At least %(share)s of the disguised answers are copies.")
    return join_sentences([number % {"share": format_percent(share / 100, 0)}, warning])


def copied_record_warnings(surveys: Collection[Survey]) -> Mapping[int, SurveyWarning]:
    """Returns a warning for each survey with copied records, for its page and lists; it states no number."""
    found = Batch.objects.filter(survey__in=surveys, copies__gt=0).order_by()
    return {
        survey: SurveyWarning(
            _("looks forged"), _("Some answers look forged"), _words_of_warning(is_invited=invited)
        )
        for survey, invited in found.values_list("survey", "survey__invited").distinct()
    }


def _words_of_warning(*, is_invited: bool) -> str:
    words = _(
        "More disguised answers are identical than the disguise explains, so someone has probably sent copies. "
        "If they still arrive, pause the survey."
    )
    return join_sentences([words, _advice(is_invited=is_invited)])


def _advice(*, is_invited: bool) -> str:
    """Returns how copies are prevented; empty where they are already."""
    return "" if is_invited else _("Invitation links prevent this: each of them counts once.")


def surveys_with_copies_fact() -> tuple[str, int]:
    """Returns a label and the number of surveys with copied records, for the operators' page."""
    surveys = Batch.objects.filter(copies__gt=0).order_by().values("survey").distinct()
    return _("Surveys in which answers look forged"), surveys.count()
