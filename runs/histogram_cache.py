"""Cache of histograms: the counts of a run over the batches 1..t, stored for later runs over the same
batches.
"""

import logging

from mining.counting import PatternHistogram, UnreadableHistogram
from mining.counting.number_and_place_counts import CodeCounts
from privacy.designs import Design
from runs.models import Histogram

logger = logging.getLogger(__name__)


def read_histogram(survey: int, through: int, population: str, design: Design) -> PatternHistogram | None:
    """Returns the cached histogram, the counts by pattern of answers, of the batches 1..`through`; None if none can be
    read.

    `population`: whose records are counted. `design` is the mined one.
    """
    row = Histogram.objects.filter(survey=survey, through=through, population=population).first()
    if row is None:
        return None
    try:
        return PatternHistogram.from_bytes(design, bytes(row.data))
    except UnreadableHistogram as why:
        logger.warning("the histogram of survey %s up to batch %s is counted anew: %s", survey, through, why)
        return None


def read_code_counts(survey: int, through: int, population: str, design: Design) -> CodeCounts | None:
    """Returns how often each code of number and place questions occurs, stored with the histogram; None if there is
    none."""
    rows = Histogram.objects.filter(survey=survey, through=through, population=population)
    row = rows.filter(numbers__isnull=False).first()
    if row is None:
        return None
    try:
        return CodeCounts.from_bytes(design, bytes(row.numbers or b""))
    except UnreadableHistogram as why:
        logger.warning("the codes of survey %s up to batch %s are counted anew: %s", survey, through, why)
        return None


def store_histogram(
    survey: int, through: int, population: str, histogram: PatternHistogram, codes: CodeCounts | None
) -> None:
    """Stores a histogram and its counts of codes; replaces what is stored for the same batches and population."""
    packed = codes.to_bytes() if codes else None
    key = {"survey_id": survey, "through": through, "population": population}
    row = Histogram(**key, data=histogram.to_bytes(), numbers=packed)
    Histogram.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["survey", "through", "population"],
        update_fields=["data", "numbers"],
    )
