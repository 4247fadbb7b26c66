"""The notice about forged records in a report: exact numbers for reviewers, rounded ones for readers.

It uses no open records, and of plain answers only whether ten or more disguised records agree in them; what it reveals
of the sensitive parts of disguised records is within their guarantee. Readers see the whole per cent of all batches
together, and no number below ten; numbers of single batches are for reviewers.
"""

from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from mining.error.share_shift import bounds_without_forged, score_range
from mining.error.unnoticed import unnoticed_copies
from reports.pages.page_rows import sensitive_shares
from runs.forgery.measuring import LEVEL, Meter, meter
from runs.forgery.models import Measured
from ui.numbers import count, percent

if TYPE_CHECKING:
    from mining.document.report import Estimate
    from reports.review.report_page import ReportPage

LISTED = 50
"""The most batches that a page lists."""

FEW = 10

SMALL_PART = 0.1
"""Where more copies than so may go unnoticed, nothing is said of no sign of them."""


MovedShare = tuple["Estimate", float | None, float | None]
"""A share, and the bounds of what it would be without the forged records; None: it could be anything."""


@dataclass(frozen=True)
class ForgeryNotice:
    """`sentence` is for everybody; `batches` and `moved` are for reviewers only, and empty for others.

    `unnoticed` says how many copies the test may not find.
    """

    sentence: str
    looks_forged: bool
    unnoticed: str
    batches: tuple[Measured, ...] = ()
    more: int = 0
    moved: tuple[MovedShare, ...] = ()


def forgery_notice(report: "ReportPage") -> ForgeryNotice | None:
    """None while the batches are not measured yet."""
    run = report.review.run
    measured = meter(run.survey_id, run.through)
    if measured is None or measured.through < run.through:
        return None
    if measured.excess:
        return to_reviewers(report, measured) if report.whole else to_readers(report, measured)
    copies = missable_copies(report, measured)
    if copies is not None and copies <= measured.sharpest.disguised * SMALL_PART:
        words = _(
            "No sign of copied records: no more disguised records are identical than the disguise allows."
        )
    else:
        words = _("No more disguised records are identical than the disguise allows.")
    return ForgeryNotice(words, looks_forged=False, unnoticed=unnoticed(report, measured))


def missable_copies(report: "ReportPage", measured: Meter) -> int | None:
    return unnoticed_copies(report.design, measured.sharpest.disguised, measured.level)


def unnoticed(report: "ReportPage", measured: Meter) -> str:
    """To readers the per cent alone: a batch's number of records is for reviewers."""
    copies = missable_copies(report, measured)
    if copies is None:
        return _(
            "Copies cannot be found in this survey: it has too few records, or its answers are too alike."
        )
    part = ceil(100 * copies / measured.sharpest.disguised) / 100
    said = {"copies": count(copies), "records": count(measured.sharpest.disguised), "share": percent(part, 0)}
    if report.whole:
        return (
            _(
                "Up to %(copies)s of %(records)s disguised records (%(share)s) could be copies of one record and go "
                "unnoticed here."
            )
            % said
        )
    return (
        _("Up to %(share)s of the disguised records could be copies of one record and go unnoticed here.")
        % said
    )


def to_reviewers(report: "ReportPage", measured: Meter) -> ForgeryNotice:
    words = _(
        "Forged copies among %(disguised)s disguised records: at least %(excess)s. More are identical than the "
        "disguise allows. The probability that this is a false alarm is at most %(level)s for the whole survey."
    )
    said = {"excess": count(measured.excess), "disguised": count(measured.disguised), "level": percent(LEVEL)}
    moved = moved_shares(report, measured.excess)
    more = max(0, len(measured.batches) - LISTED)
    return ForgeryNotice(
        words % said,
        looks_forged=True,
        unnoticed=unnoticed(report, measured),
        batches=measured.batches[:LISTED],
        more=more,
        moved=tuple(moved),
    )


def to_readers(report: "ReportPage", measured: Meter) -> ForgeryNotice:
    whole = floor(100 * measured.excess / measured.disguised)
    known = {"share": percent(whole / 100, 0), "few": FEW}
    if measured.excess < FEW:
        words = _(
            "A few disguised records are forged copies, fewer than %(few)s as far as can be seen: more are identical "
            "than the disguise allows."
        )
    elif not whole:
        words = _(
            "Some disguised records are forged copies, fewer than 1 %% as far as can be seen: more are identical than "
            "the disguise allows."
        )
    else:
        words = _(
            "At least %(share)s of the disguised records are forged copies: more are identical than the disguise "
            "allows."
        )
    # The bound is of the next number up, so that it reveals no more than the sentence.
    most = FEW if measured.excess < FEW else (whole + 1) / 100 * measured.disguised
    sentence = f"{words % known} {farthest(report, most)}"
    return ForgeryNotice(sentence, looks_forged=True, unnoticed=unnoticed(report, measured))


def farthest(report: "ReportPage", forged: float) -> str:
    moved = moved_shares(report, forged)
    known = [
        max(share.support - low, high - share.support)
        for share, low, high in moved
        if share.support is not None and low is not None and high is not None
    ]
    if len(known) < len(moved):
        return _("So many may have moved a share to anything.")
    words = _("So many may have moved a share by up to %(points)s percentage points.")
    return words % {"points": f"{100 * max(known, default=0.0):.1f}"}


def moved_shares(report: "ReportPage", forged: float) -> list[MovedShare]:
    """Each sensitive answer with the bounds of its share without so many forged records."""
    shares: list[MovedShare] = []
    for share in sensitive_shares(report):
        if share.support is None:
            continue
        least, most = score_range(report.mined, report.labels.item(share.item))
        ends = bounds_without_forged(share.n_asked or 0, share.support, forged, least, most)
        shares.append((share, *(ends or (None, None))))
    return shares
