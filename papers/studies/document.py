"""Builds the page of published studies: our estimates beside the printed ones, and conclusions."""

from collections.abc import Iterator
from math import inf

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import csv_from_rows
from papers.document_structure import (
    Document,
    Judgement,
    OwnData,
    Reproduction,
    ReproductionOptions,
    Section,
    Table,
    columns_by_position,
    judge,
)
from papers.quotes import Quote
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
    ReestimatedDifference,
    ReestimatedPair,
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
        "studies",
        "",
        "",
        ("warner-1965", "greenberg-1969", "yu-2008"),
        [
            _(
                "Our estimates, errors and differences from the counts of three studies, beside what their "
                "sources print. A share is the mean of the scores, its interval the mapped bounds, a "
                "difference that of arms (docs/mathematics.md, Studies)."
            ),
            sources + ".",
            _(
                "Crosswise answers put cheating at dice at %(crosswise)s, where direct ones gave "
                "%(direct)s and forced ones %(forced)s; the study checked answers against the game and "
                "found false positives among the crosswise ones. No estimate can tell these from true "
                "answers, since %(direct)s would look like %(crosswise)s if %(careless)s answered at "
                "random; so control items, of which the true share is known, look for random answers."
            )
            % {
                "crosswise": f"{dice[CROSSWISE]:.3f}",
                "direct": f"{dice[DIRECT]:.3f}",
                "forced": f"{dice[FORCED]:.3f}",
                "careless": f"{100 * studies.careless:.0f} %",
            },
        ],
        list(judgements(studies)),
        sections(studies),
        [
            OwnData(_("An estimate against a direct arm:"), "candor arms DESIGN.json RECORDS.csv"),
            OwnData(_("Shares by any of these techniques:"), "candor mine DESIGN.json RECORDS.csv"),
        ],
    )


def judgements(studies: ReestimatedStudies) -> Iterator[Judgement]:
    """Yields whether the printed shares and errors of each study are met; each claim is a quote of its own."""
    by = ("papers.studies.shares_from_published_counts.reestimate_studies",)
    for study, name in ((STUDENTS, _("Students")), (NIGERIA, _("Nigeria"))):
        rows = [row for row in studies.shares if row.study == study and row.printed is not None]
        apart = max(_largest_difference_from_printed(row) for row in rows)
        claim = Quote(
            study.replace(" ", "-"),
            _("%(name)s: the printed shares and errors.") % {"name": name},
            ours=_("%(count)s printed, the largest distance %(apart)s.")
            % {"count": len(rows), "apart": f"{apart:.6f}"},
            reason=_("By the source's own formula, from its counts."),
            by=by,
        )
        yield judge(claim, apart < EXACT * 1.01)
    validated = [row for row in studies.shares if row.study == VALIDATION and row.printed is not None]
    apart = max(abs(row.share - (row.printed or 0)) for row in validated)
    claim = Quote(
        "validation",
        _("Validation: the printed shares of two questions by four techniques, to three places."),
        ours=_("The largest distance is %(apart)s.") % {"apart": f"{apart:.3f}"},
        reason=_("Where a technique had several variants, all records count alike here."),
        by=by,
    )
    yield judge(claim, apart < 0.0005)


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
                "The source drew its students without replacement from 10,777 and counts that, and "
                "computes with 0.0833 for 1/12: its formula is in the last column. Our error is that of an "
                "endless population."
            ),
        ),
        Table(
            _("Students: pairs"),
            [
                (_("pair"), lambda row: f"{row.first}, {row.second}"),
                (_("have both"), "share:.3f"),
                (_("lift"), "lift:.3f"),
                (_("95 % interval"), _interval_text),
                ("p", lambda row: _p_text(row.p)),
                ("q", lambda row: _p_text(row.q)),
            ],
            studies.pairs,
            _("Each question had a coin of its own. The source prints no such figures. q is over all pairs."),
            "pairs",
        ),
    ]
    nigeria = [_share_table(studies, NIGERIA, _("Nigeria: forced responses"))]
    validation = [
        Table(
            _("Validation: share ± standard error, and what is printed"),
            columns_by_position([_("question"), *techniques.values()]),
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
            [
                (_("question"), lambda row: questions[row.question]),
                (_("technique"), lambda row: techniques[row.technique]),
                (_("difference"), "difference:.3f"),
                (_("95 % interval"), _interval_text),
                ("p", lambda row: _p_text(row.p)),
                (_("printed"), "printed:.3f"),
            ],
            studies.differences,
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
            (_("question"), "question"),
            ("n", "n:,"),
            (_("share"), "share:.5f"),
            (_("95 % interval"), _interval_text),
            (_("printed"), "printed:.5f"),
            (_("error"), "se:.5f"),
            (_("printed error"), "printed_se:.5f"),
            (
                _("by the source's formula"),
                lambda row: (
                    "" if row.formula_se is None else f"{row.formula_share:.5f} ± {row.formula_se:.5f}"
                ),
            ),
        ],
        [row for row in studies.shares if row.study == study],
        note,
        "shares",
    )


def _share_cell(row: ReestimatedShare) -> str:
    printed = "" if row.printed is None else f" ({row.printed:.3f})"
    return f"{row.share:.3f} ± {row.se:.3f}{printed}"


def _interval_text(row: ReestimatedShare | ReestimatedDifference | ReestimatedPair) -> str:
    return f"{row.low:.3f} – {'∞' if row.high is None else f'{row.high:.3f}'}"


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
