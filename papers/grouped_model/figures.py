"""Builds the figures and sliders of document 004: error W by simulation and theory, mining results, bias.

W is the distance between a reconstructed support and that in the true data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import mean

from django.utils.translation import gettext as _

from papers.document_structure import Slider
from papers.grouped_model.expected_error import (
    expected_frequent_counts,
    expected_w_by_itemset,
    is_estimator_defined,
)
from papers.grouped_model.repeated_mining import BIASED, COHERENT, DIFFERENCES, MINED, TRUTH
from papers.grouped_model.simulated_survey import (
    USUAL,
    PaperSetting,
    Reading,
    Varied,
    improved_model_law,
    question_indexes_by_itemset,
    record_posteriors,
    setting_with,
)
from papers.svg_figures import Curve, Figure

DOCUMENTS, *OTHERS = (*MINED, COHERENT)
"""The estimator of the document, and the others."""
FINE = tuple(round(step / 50, 2) for step in range(51))
"""The x values at which a theoretical curve is computed."""
OVER_P: tuple[Varied, Reading] = ("p", "open")
Line = Mapping[str, str]


@dataclass(frozen=True)
class FrequentError:
    """W of the frequent itemsets: simulated, by theory, and an upper bound of the standard error of the mean.

    Itemsets of one survey are not independent, so that the mean of their standard errors bounds that of their mean.
    """

    itemsets: Sequence[str]
    w: float
    theory: float
    most_se: float


@dataclass(frozen=True)
class ResultRows:
    """Rows of the result tables *mined* (itemsets and rules), *w* (errors W) and *bias* of document 004."""

    mined: Sequence[Line]
    w: Sequence[Line]
    bias: Sequence[Line]

    def counts(self, varied: Varied, estimator: str = DOCUMENTS) -> list[Line]:
        """Returns rows with counts of itemsets and rules over the parameter `varied`; k is the share of open
        answers."""
        return [line for line in self.mined if _line_key(line) == (varied, "open", estimator)]

    def errors(self, varied: Varied, reading: Reading, estimator: str, size: int) -> list[Line]:
        """Returns rows with the error W over the parameter `varied`, for itemsets of this size (0: all)."""
        return [
            line
            for line in self.w
            if _line_key(line) == (varied, reading, estimator)
            and (line["size"], line["itemset"]) == (str(size), "")
        ]

    def frequent_errors(self, varied: Varied, reading: Reading) -> dict[float, FrequentError]:
        """Returns W of the itemsets with at least the smallest support in the population, by the varied value."""
        found: dict[float, list[Line]] = {}
        for line in self.w:
            is_itemset = _line_key(line) == (varied, reading, DOCUMENTS) and line["itemset"]
            if is_itemset and float(line["support"]) >= float(line["min_support"]):
                found.setdefault(varied_value(line), []).append(line)
        return {
            value: FrequentError(
                [line["itemset"] for line in lines],
                *(mean(float(line[part]) for line in lines) for part in ("w", "w_theory", "w_se")),
            )
            for value, lines in found.items()
        }


def _line_key(line: Line) -> tuple[str, str, str]:
    return line["varied"], line["reading"], line["estimator"]


def varied_value(line: Line) -> float:
    """Returns the value of the parameter that varies in a row."""
    return float(line[line["varied"]])


def keep_slider() -> Slider:
    """Returns a slider over p: gamma, and the posteriors of two records in the original and the improved model.

    In the original model some records prove true answers for every p.
    """
    lines = []
    for step in range(1, 20):
        p = Fraction(step, 20)
        law = improved_model_law(p)
        rows = record_posteriors(p)
        lines.append(
            [
                float(p),
                float(law.gamma),
                rows[4].original,
                rows[4].improved,
                rows[0].original,
                rows[0].improved,
            ]
        )
    return Slider(
        _("The keep probability p"),
        ["p", _("gamma"), _("100, original"), _("100, improved"), _("000, original"), _("000, improved")],
        lines,
        _("The probability that a record is true, for a mixed record and for no to all; theta is .6."),
        5,
        1,
    )


def theta_slider() -> Slider:
    lines = []
    for step in range(1, 20):
        theta = Fraction(step, 20)
        survey = replace(USUAL.survey, theta=float(theta))
        w = [float(expected_w_by_itemset(survey, name).mean()) for name in MINED]
        lines.append([float(theta), float(improved_model_law(theta=theta).gamma), *w])
    return Slider(
        _("The chance theta of a random yes"),
        ["theta", _("gamma"), *(f"W, {name}" for name in MINED)],
        lines,
        _("Gamma and the expected W of all itemsets at p = .3, a fifth open, 10,000 respondents."),
        11,
        1,
    )


def w_slider(varied: Varied) -> Slider:
    lines = []
    for value in (round(step / 20, 2) for step in range(1, 20)):
        survey = setting_with("open", varied, value).survey
        lines.append([value, *(float(expected_w_by_itemset(survey, name).mean()) for name in MINED)])
    return Slider(
        _("Expected W over %(varied)s") % {"varied": varied},
        [varied, *MINED],
        lines,
        _("By theory, all itemsets; k is the share who answer openly."),
        5 if varied == "p" else 3,
    )


def w_figure(varied: Varied, reading: Reading, numbers: ResultRows) -> Figure:
    sizes = {0: _("all itemsets"), 1: _("1 item"), 2: _("2 items"), 3: _("3 items")}
    at, curves = [], []
    for size, name in sizes.items():
        lines = numbers.errors(varied, reading, DOCUMENTS, size)
        at = [varied_value(line) for line in lines]
        curves.append(
            _curve_with_whiskers(name, lines, "w", _theory_points(varied, reading, DOCUMENTS, size, FINE))
        )
    name = (
        _("Figure 1: W over p")
        if (varied, reading) == OVER_P
        else _("W over %(varied)s") % {"varied": varied}
    )
    return _figure_over_parameter(varied, reading, name, _("mean W = |S - S'|"), at, curves)


def other_estimators_figure(numbers: ResultRows) -> Figure:
    """Plots the error W over p for the estimators other than the document's, all sizes of itemsets together.

    The theoretical curve ends at the last points, since it grows without bound beyond.
    """
    at: list[float] = []
    curves = []
    for name in OTHERS:
        lines = numbers.errors(*OVER_P, name, 0)
        at = [varied_value(line) for line in lines]
        within = [value for value in FINE if at[0] <= value <= at[-1]]
        curves.append(
            _curve_with_whiskers(
                name, lines, "w", [] if name == COHERENT else _theory_points(*OVER_P, name, 0, within)
            )
        )
    return _figure_over_parameter(
        *OVER_P, _("Other estimators: W over p, all itemsets"), _("mean W = |S - S'|"), at, curves
    )


def counts_figure(varied: Varied, numbers: ResultRows) -> Figure:
    parts = {
        _("false itemsets"): ("itemsets", "false_positives", 2),
        _("missed itemsets"): ("itemsets", "misses", 3),
        _("false rules"): ("rules", "false_positives", None),
        _("missed rules"): ("rules", "misses", None),
    }
    lines = numbers.counts(varied)
    curves = []
    for name, (kind, count, column) in parts.items():
        theory = []
        if column is not None:
            settings = [setting_with("open", varied, value) for value in FINE]
            theory = [
                (value, float(expected_frequent_counts(chosen.survey, DOCUMENTS, chosen.min_support)[column]))
                for value, chosen in zip(FINE, settings, strict=True)
                if is_estimator_defined(chosen.survey, DOCUMENTS)
            ]
        curves.append(_curve_with_whiskers(name, lines, f"{kind}_{count}", theory))
    title = _("D* against D over %(varied)s") % {"varied": varied}
    at = list(map(varied_value, lines))
    return _figure_over_parameter(varied, "open", title, _("number per data set"), at, curves)


def bias_figure(numbers: ResultRows) -> Figure:
    curves = []
    for name in MINED:
        lines = [line for line in numbers.bias if line["estimator"] == name]
        middle, low, high = ([float(line[part]) for line in lines] for part in ("mean", "low", "high"))
        curves.append(Curve(name, middle, low, high))
    return Figure(
        _("Where open answerers differ: a support of 25 %% (half open, p = %(p)s)") % {"p": f"{BIASED.p:g}"},
        _("share among the disguised less share among the open"),
        _("estimated support"),
        DIFFERENCES,
        curves,
        level=(_("truth"), TRUTH),
        note=_("line: mean; band: nine repetitions of ten"),
        band=True,
    )


def _figure_over_parameter(
    varied: Varied,
    reading: Reading,
    name: str,
    y_title: str,
    x_values: Sequence[float],
    curves: Sequence[Curve],
) -> Figure:
    usual = PaperSetting(reading)
    fixed = ", ".join(f"{part} = {getattr(usual, part):g}" for part in ("k", "p", "theta") if part != varied)
    who = {"open": _("k: share who answer openly"), "randomised": _("k: share who are randomised")}[reading]
    drawn = _("points: simulated, with 95 % interval; line: theory, or joined")
    across = who if varied == "k" else _("p: chance that a randomised answer is the true one")
    return Figure(
        f"{name} ({fixed})", across, y_title, x_values, curves, note=f"{who}; {drawn}", span=(0.0, 1.0)
    )


def _curve_with_whiskers(
    name: str, lines: Sequence[Line], column: str, theory: Sequence[tuple[float, float]]
) -> Curve:
    """Returns a curve with whiskers of 1.96 standard errors, clipped at 0, since no value here is negative."""
    middle = [float(line[column]) for line in lines]
    reach = [1.96 * float(line[f"{column}_se"]) for line in lines]
    low = [max(value - by, 0.0) for value, by in zip(middle, reach, strict=True)]
    high = [value + by for value, by in zip(middle, reach, strict=True)]
    return Curve(name, middle, low, high, theory)


def _theory_points(
    varied: Varied, reading: Reading, estimator: str, size: int, x_values: Sequence[float]
) -> list[tuple[float, float]]:
    """Returns points of the theoretical error W, if defined, averaged over itemsets of this size (0: all)."""
    points = []
    for value in x_values:
        survey = setting_with(reading, varied, value).survey
        if not is_estimator_defined(survey, estimator):
            continue
        sizes = [len(itemset) for itemset in question_indexes_by_itemset(survey.questions)]
        chosen = [not size or length == size for length in sizes]
        points.append((value, float(expected_w_by_itemset(survey, estimator)[chosen].mean())))
    return points
