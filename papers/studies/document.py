"""Builds the page of published studies: our estimates beside the printed ones, and conclusions."""

from collections.abc import Iterator
from math import inf

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import csv_from_rows
from papers.document_structure import (
    Claim,
    Document,
    Reproduction,
    ReproductionOptions,
    Section,
    Table,
    judge_claim,
)
from papers.studies.published_counts import (
    CROSSWISE,
    DICE,
    DIRECT,
    FORCED,
    NIGERIA,
    STUDENTS,
    TAX,
    TECHNIQUES,
    UNRELATED,
    VALIDATION,
)
from papers.studies.shares_from_published_counts import (
    ReestimatedShare,
    ReestimatedStudies,
    reestimate_studies,
)
from papers.svg_figures import Curve, Figure

EXACT = 5e-6
"""Largest rounding error of the printed numbers of the students and of Nigeria."""
BESIDE = 14.0
"""Horizontal distance, in pixels, between the points of two techniques."""


def reproduce(_options: ReproductionOptions) -> Reproduction:
    results = reestimate_studies()
    tables = {name: csv_from_rows(getattr(results, name)) for name in ("shares", "differences", "pairs")}
    return Reproduction(lambda: document(results), tables)


def document(studies: ReestimatedStudies) -> Document:
    sources = "; ".join(f"{name}: {source.rstrip('.')}" for name, source in studies.sources.items())
    dice = {technique: studies.share(VALIDATION, DICE, technique).share for technique in TECHNIQUES}
    return Document(
        "",
        "studies",
        "",
        "",
        ("warner-1965", "greenberg-1969", "yu-2008"),
        [
            _(
                "Our estimates, errors and differences from the counts of three studies, beside what their sources "
                "print. A share is the mean of the scores, its interval the mapped bounds, a difference that of "
                "arms (docs/mathematics.md, Studies)."
            ),
            sources + ".",
            _(
                "Crosswise answers put cheating at dice at %(crosswise)s, where direct ones gave %(direct)s and "
                "forced ones %(forced)s; the study checked answers against the game and found false positives among "
                "the crosswise ones. No estimate can tell these from true answers, since %(direct)s would look like "
                "%(crosswise)s if %(careless)s answered at random; so control items, of which the true share is "
                "known, look for random answers."
            )
            % {
                "crosswise": _number_text(dice[CROSSWISE]),
                "direct": _number_text(dice[DIRECT]),
                "forced": _number_text(dice[FORCED]),
                "careless": f"{100 * studies.careless:.0f} %",
            },
        ],
        list(claims(studies)),
        [],
        sections(studies),
    )


def claims(studies: ReestimatedStudies) -> Iterator[Claim]:
    for study, name in ((STUDENTS, _("Students")), (NIGERIA, _("Nigeria"))):
        rows = [row for row in studies.shares if row.study == study and row.printed is not None]
        apart = [_largest_difference_from_printed(row) for row in rows]
        yield judge_claim(
            _("%(name)s: the printed shares and errors.") % {"name": name},
            _("%(count)s printed, all met to the last digit.") % {"count": len(rows)},
            bool(rows) and max(apart) < EXACT * 1.01,
            _("By the source's own formula, from its counts."),
            _("Largest distance %(apart)s.") % {"apart": f"{max(apart):.6f}"},
        )
    validated = [row for row in studies.shares if row.study == VALIDATION and row.printed is not None]
    apart = [abs(row.share - (row.printed or 0)) for row in validated]
    yield judge_claim(
        _("Validation: the printed shares of two questions by four techniques, to three places."),
        _("The largest distance is %(apart)s.") % {"apart": _number_text(max(apart))},
        max(apart) < 0.0005,
        _("From the counts of both variants of a technique together."),
        _("Where a technique had several variants, all records count alike here."),
    )


def _largest_difference_from_printed(row: ReestimatedShare) -> float:
    """Returns the larger distance of our share and of our standard error from the printed ones.

    Ours are by the source's own formula, if it gives one.
    """
    share = row.share if row.formula_share is None else row.formula_share
    se = row.se if row.formula_se is None else row.formula_se
    return max(
        abs(share - (row.printed or 0)), abs(se - row.printed_se) if row.printed_se is not None else 0.0
    )


def sections(studies: ReestimatedStudies) -> list[Section]:
    questions, techniques = question_names(), technique_names()
    students = [
        _share_table(
            studies,
            STUDENTS,
            _("Students: unrelated questions"),
            _(
                "The source drew its students without replacement from 10,777 and counts that, and computes with "
                "0.0833 for 1/12: its formula is in the last column. Our error is that of an endless population."
            ),
        ),
        Table(
            _("Students: pairs"),
            [_("pair"), _("have both"), _("lift"), _("95 % interval"), "p", "q"],
            [
                [
                    f"{row.first}, {row.second}",
                    _number_text(row.share),
                    _number_text(row.lift),
                    _interval_text(row.low, row.high),
                    _p_text(row.p),
                    _p_text(row.q),
                ]
                for row in studies.pairs
            ],
            _("Each question had a coin of its own. The source prints no such figures. q is over all pairs."),
            "pairs",
        ),
    ]
    nigeria = [_share_table(studies, NIGERIA, _("Nigeria: forced responses"))]
    validation = [
        Table(
            _("Validation: share ± standard error, and what is printed"),
            [_("question"), *techniques.values()],
            [
                [
                    name,
                    *(
                        _share_cell(studies.share(VALIDATION, question, technique))
                        for technique in TECHNIQUES
                    ),
                ]
                for question, name in questions.items()
            ],
            file="shares",
        ),
        Table(
            _("Validation: differences from direct questions"),
            [_("question"), _("technique"), _("difference"), _("95 % interval"), "p", _("printed")],
            [
                [
                    questions[row.question],
                    techniques[row.technique],
                    _number_text(row.difference),
                    _interval_text(row.low, row.high),
                    _p_text(row.p),
                    _number_text(row.printed),
                ]
                for row in studies.differences
            ],
            _("That more is truer is an assumption. The study could check it for cheating at dice."),
            "differences",
        ),
    ]
    return [
        Section(_("Students"), tables=students),
        Section(_("Nigeria"), tables=nigeria),
        Section(_("Validation"), figures=[validation_figure(studies)], tables=validation),
    ]


def _share_table(studies: ReestimatedStudies, study: str, caption: str, note: str = "") -> Table:
    return Table(
        caption,
        [
            _("question"),
            "n",
            _("share"),
            _("95 % interval"),
            _("printed"),
            _("error"),
            _("printed error"),
            _("by the source's formula"),
        ],
        [
            [
                row.question,
                f"{row.n:,}",
                _number_text(row.share, 5),
                _interval_text(row.low, row.high),
                _number_text(row.printed, 5),
                _number_text(row.se, 5),
                _number_text(row.printed_se, 5),
                ""
                if row.formula_se is None
                else f"{_number_text(row.formula_share, 5)} ± {_number_text(row.formula_se, 5)}",
            ]
            for row in studies.shares
            if row.study == study
        ],
        note,
        "shares",
    )


def _share_cell(row: ReestimatedShare) -> str:
    printed = "" if row.printed is None else f" ({_number_text(row.printed)})"
    return f"{_number_text(row.share)} ± {_number_text(row.se)}{printed}"


def _number_text(value: float | None, places: int = 3) -> str:
    return "" if value is None else f"{value:.{places}f}"


def _interval_text(low: float, high: float | None) -> str:
    return f"{_number_text(low)} – {'∞' if high is None else _number_text(high)}"


def _p_text(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def question_names() -> dict[str, str]:
    return {
        DICE: _("cheating at dice"),
        TAX: _("tax evasion"),
        "shoplifting": _("shoplifting"),
        "non voting": _("not voting"),
    }


def technique_names() -> dict[str, str]:
    return {
        DIRECT: _("direct"),
        UNRELATED: _("unrelated question"),
        CROSSWISE: _("crosswise"),
        FORCED: _("forced response"),
    }


def validation_figure(studies: ReestimatedStudies) -> Figure:
    """Plots the shares by technique, with gaps between questions.

    A value that is not finite stands between two questions, so that no line joins them.
    """
    questions = question_names()
    places = range(2 * len(questions) - 1)
    curves = []
    for technique, name in technique_names().items():
        rows = [studies.share(VALIDATION, question, technique) for question in questions]
        middle, low, high = (
            [getattr(rows[row // 2], part) if row % 2 == 0 else inf for row in places]
            for part in ("share", "low", "high")
        )
        curves.append(Curve(name, middle, low, high))
    return Figure(
        _("One technique a respondent, at random"),
        ", ".join(f"{row}: {name}" for row, name in enumerate(questions.values(), start=1)),
        _("estimated share"),
        [1 + row / 2 for row in places],
        curves,
        note=_("our estimates with 95 % intervals, from the published counts"),
        apart=BESIDE,
        span=(0.5, len(questions) + 0.5),
    )
