"""studies.md: our estimates beside what the sources print, and what they teach."""

from papers.studies.counts import (
    CROSSWISE,
    DICE,
    DIRECT,
    FORCED,
    NIGERIA,
    STUDENTS,
    TECHNIQUES,
    VALIDATION,
)
from papers.studies.figure import QUESTIONS
from papers.studies.replayed import ReplayedShare, ReplayedStudies
from papers.tables import markdown

PRINTED_PLACES = 5
SHARES = ["question", "n", "share", "95 % interval", "printed", "error", "printed error"]
FORMULA_COLUMN = "printed formula"


def text(found: ReplayedStudies) -> str:
    parts = [
        INTRODUCTION,
        "".join(f"* {name}: {source.rstrip('.')}.\n" for name, source in found.sources.items()),
        "\n## Students: unrelated questions\n",
        _shares(found, STUDENTS),
        FORMULA,
        PAIRS,
        _pairs(found),
        "\n## Nigeria: forced responses\n",
        _shares(found, NIGERIA),
        VALIDATED,
        markdown(
            ["question", *TECHNIQUES],
            [
                [name, *(_beside(found.share(VALIDATION, question, technique)) for technique in TECHNIQUES)]
                for question, name in QUESTIONS.items()
            ],
        ),
        "\n![Shares by question and technique](shares.svg)\n",
        DIFFERENCES,
        _differences(found),
        _lesson(found),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def _pairs(found: ReplayedStudies) -> str:
    return markdown(
        ["pair", "have both", "lift", "95 % interval", "p", "q"],
        [
            [
                f"{of.first}, {of.second}",
                _number(of.share),
                _number(of.lift),
                _interval(of.low, of.high),
                _p(of.p),
                _p(of.q),
            ]
            for of in found.pairs
        ],
    )


def _differences(found: ReplayedStudies) -> str:
    return markdown(
        ["question", "technique", "difference", "95 % interval", "p", "printed"],
        [
            [
                QUESTIONS[of.question],
                of.technique,
                _number(of.difference),
                _interval(of.low, of.high),
                _p(of.p),
                _number(of.printed),
            ]
            for of in found.differences
        ],
    )


def _shares(found: ReplayedStudies, study: str) -> str:
    rows = [row for row in found.shares if row.study == study]
    has_formula = any(row.formula_se is not None for row in rows)
    return markdown(
        [*SHARES, *([FORMULA_COLUMN] if has_formula else [])],
        [
            [
                row.question,
                f"{row.n:,}",
                _number(row.share, PRINTED_PLACES),
                _interval(row.low, row.high),
                _number(row.printed, PRINTED_PLACES),
                _number(row.se, PRINTED_PLACES),
                _number(row.printed_se, PRINTED_PLACES),
                *([_by_formula(row)] if has_formula else []),
            ]
            for row in rows
        ],
    )


def _by_formula(row: ReplayedShare) -> str:
    return f"{_number(row.formula_share, PRINTED_PLACES)} ± {_number(row.formula_se, PRINTED_PLACES)}"


def _beside(row: ReplayedShare) -> str:
    """Share with its error, and what is printed."""
    printed = "" if row.printed is None else f", printed {_number(row.printed)}"
    return f"{_number(row.share)} ± {_number(row.se)}{printed}"


def _number(value: float | None, places: int = 3) -> str:
    return "" if value is None else f"{value:.{places}f}"


def _interval(low: float, high: float | None) -> str:
    return f"{_number(low)} to {'no end' if high is None else _number(high)}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _lesson(found: ReplayedStudies) -> str:
    dice = {technique: found.share(VALIDATION, DICE, technique).share for technique in TECHNIQUES}
    return LESSON.format(
        crosswise=_number(dice[CROSSWISE]),
        direct=_number(dice[DIRECT]),
        forced=_number(dice[FORCED]),
        careless=f"{100 * found.careless:.0f} %",
    )


INTRODUCTION = """# Published studies of sensitive questions

Our estimates, errors and differences from the counts of three studies, beside what their sources print. A share is the
mean of the scores, its interval the mapped bounds, a difference that of arms (docs/mathematics.md, Studies).
"""
FORMULA = """
The source drew its students without replacement from 10,777 and counts that: its error is that of the sample, less for
the part of the population that was asked, and that of the coins. That it computes with 0.0833 for 1/12 is our inference
from the printed shares. *Printed formula* does both and gives the printed figures to the printed digits. Our error is
that of an endless population.
"""
PAIRS = """
Each question had a coin of its own, so the counts of pairs give the lift of one answer on another. The sources print no
such figures. q is over all pairs.
"""
VALIDATED = """
## Validation: direct, unrelated, crosswise and forced answers

Share ± standard error. Where a technique had several variants, all records count alike.
"""
DIFFERENCES = """
## Differences from direct questions

That more is truer is an assumption. The study could check it for cheating at dice.
"""
LESSON = """
## The lesson

Crosswise answers put cheating at dice at {crosswise}, where direct ones gave {direct} and forced ones {forced}; the
study checked answers against the game and found false positives among the crosswise ones. No estimate can tell these
from true answers, since {direct} would look like {crosswise} if {careless} answered at random; so our control items, of
which the true share is known, look for random answers and correct every share for them.
"""
