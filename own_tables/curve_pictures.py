"""Draws the curves of an experiment with a person's own table: W (the error of supports), precision and recall over
each parameter."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from mining.own_table.experiment import Curve as MeasuredCurve, ExperimentResult, Varied
from papers.svg_figures import Curve, Figure

Words = str | Promise
PARAMETERS: dict[Varied, Words] = {
    "keep": _("p: chance that the true answers of a group are sent"),
    "open_share": _("k: share of people who answer openly"),
    "theta": _("theta: chance of an unrelated yes"),
    "rows": _("n: rows of the table, in thousands"),
}
SYMBOLS: dict[Varied, str] = {"keep": "p", "open_share": "k", "theta": "theta", "rows": "n"}
DOCUMENTS = {"keep": 0.3, "open_share": 0.2, "theta": 0.6, "rows": 10.0}
"""Parameter values of document 004, which the pictures mark."""
THOUSAND = 1_000
SHOWN: dict[str, dict[str, Words]] = {
    "w": {"w_all": _("all itemsets"), "w_frequent": _("itemsets frequent in your table")},
    "rules": {"rule_precision": _("precision of rules"), "rule_recall": _("recall of rules")},
    "itemsets": {"itemset_precision": _("precision of itemsets"), "itemset_recall": _("recall of itemsets")},
}
"""Measures in each picture, by the picture's name."""
TITLES: dict[str, Words] = {
    "w": _("W over %(symbol)s"),
    "rules": _("Rules over %(symbol)s"),
    "itemsets": _("Frequent itemsets over %(symbol)s"),
}


@dataclass(frozen=True)
class Picture:
    """A drawn curve for the template `papers/figure.html`; `svg` was drawn when the experiment ended."""

    title: str
    note: str
    up: str
    across: str
    svg: str
    legend: list[tuple[int, str]]


def draw_pictures(result: ExperimentResult) -> dict[str, str]:
    """Draws all curves as SVG without text, by name such as `w-keep`."""
    return {name: figure.svg for name, figure in _figures_by_name(result)}


def pictures_with_texts(result: ExperimentResult, svg_by_name: dict[str, str]) -> list[Picture]:
    """Returns the stored drawings with titles and legends in the reader's language."""
    return [
        Picture(figure.title, figure.note, figure.up, figure.across, svg_by_name[name], figure.legend)
        for name, figure in _figures_by_name(result)
    ]


def _figures_by_name(result: ExperimentResult) -> Iterator[tuple[str, Figure]]:
    for kind, measures in SHOWN.items():
        for curves in result.curves:
            unit = THOUSAND if curves.varied == "rows" else 1
            at = [point.value / unit for point in curves.points]
            if len(at) < 2:
                continue
            drawn = [_curve_of_measure(curves, measure, str(name)) for measure, name in measures.items()]
            mark = document if at[0] <= (document := DOCUMENTS[curves.varied]) <= at[-1] else None
            yield (
                f"{kind}-{curves.varied}",
                Figure(
                    str(TITLES[kind]) % {"symbol": SYMBOLS[curves.varied]},
                    str(PARAMETERS[curves.varied]),
                    "",
                    at,
                    drawn,
                    note=str(_("Vertical line: the document’s %(value)s.")) % {"value": f"{mark:g}"}
                    if mark
                    else "",
                    mark=mark,
                ),
            )


def _curve_of_measure(curves: MeasuredCurve, measure: str, name: str) -> Curve:
    """Returns the curve of one measure over the varied parameter, with its interval."""
    spreads = [getattr(point.measures, measure) for point in curves.points]
    middle, low, high = (
        [nan if (value := getattr(spread, end)) is None else value for spread in spreads]
        for end in ("mean", "low", "high")
    )
    return Curve(name, middle, low, high)
