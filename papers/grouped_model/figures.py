"""The figures: W over k and over p for each reading of k, and what mining finds wrongly or misses."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from papers.drawing import Curve, Figure
from papers.grouped_model.bias import DIFFERENCES, TRUTH, USUAL, MeanAndBand
from papers.grouped_model.mined import COHERENT, MINED
from papers.grouped_model.rows import Mean, SettingRow, expected
from papers.grouped_model.settings import PaperSetting, Reading, Varied, places, setting
from papers.grouped_model.theory import defined, expected_w

DOCUMENTS, *OTHERS = (*MINED, COHERENT)
FINE = tuple(round(step / 100, 2) for step in range(101))
"""The points of a line of theory."""
OVER_P: tuple[Varied, Reading] = ("p", "open")
W_FIGURES: tuple[tuple[Varied, Reading], ...] = (
    OVER_P,
    ("k", "open"),
    ("p", "randomised"),
    ("k", "randomised"),
)


def figures(rows: Sequence[SettingRow], bias: Mapping[str, Sequence[MeanAndBand]]) -> list[Figure]:
    def selected(varied: Varied, reading: Reading) -> list[SettingRow]:
        return [row for row in rows if row.varied == varied and row.setting.reading == reading]

    return [
        *(w_figure(varied, reading, selected(varied, reading)) for varied, reading in W_FIGURES),
        *(counts_figure(varied, selected(varied, "open")) for varied in ("p", "k")),
        others_figure(selected(*OVER_P)),
        bias_figure(bias),
    ]


def w_figure(varied: Varied, reading: Reading, rows: Sequence[SettingRow]) -> Figure:
    mine = [row for row in rows if row.estimator == DOCUMENTS]
    sizes = {0: _("all itemsets"), 1: _("1 item"), 2: _("2 items"), 3: _("3 items")}
    curves = [
        _curve(name, [row.of_size(size).w for row in mine], _theory(varied, reading, DOCUMENTS, size, FINE))
        for size, name in sizes.items()
    ]
    name = (
        _("Figure 1: W over p")
        if (varied, reading) == OVER_P
        else _("W over %(varied)s") % {"varied": varied}
    )
    return _figure(varied, reading, name, _w(), mine, curves)


def others_figure(rows: Sequence[SettingRow]) -> Figure:
    """All sizes together. The line of theory ends at the last points, since it grows without bound beyond."""
    curves = []
    mine: list[SettingRow] = []
    for name in OTHERS:
        mine = [row for row in rows if row.estimator == name]
        at = [value for value in FINE if mine[0].value <= value <= mine[-1].value]
        theory = _theory(*OVER_P, name, 0, at) if name != COHERENT else []
        curves.append(_curve(name, [row.of_size(0).w for row in mine], theory))
    return _figure(*OVER_P, _("Other estimators: W over p, all itemsets"), _w(), mine, curves)


def counts_figure(varied: Varied, rows: Sequence[SettingRow]) -> Figure:
    mine = [row for row in rows if row.estimator == DOCUMENTS]
    parts = {
        _("false itemsets"): ("itemsets", "false_positives"),
        _("missed itemsets"): ("itemsets", "misses"),
        _("false rules"): ("rules", "false_positives"),
        _("missed rules"): ("rules", "misses"),
    }
    curves = []
    for name, (kind, count) in parts.items():
        means = [mean for row in mine if (mean := row.counts[kind][count])]
        curves.append(_curve(name, means, _expected(varied, count) if kind == "itemsets" else []))
    title = _("D* against D over %(varied)s") % {"varied": varied}
    return _figure(varied, "open", title, _("number per data set"), mine, curves)


def bias_figure(of_estimators: Mapping[str, Sequence[MeanAndBand]]) -> Figure:
    curves = [
        Curve(name, *([getattr(spread, part) for spread in spreads] for part in ("mean", "low", "high")))
        for name, spreads in of_estimators.items()
    ]
    return Figure(
        _("Where open answerers differ: a support of 25 %% (half open, p = %(p)s)") % {"p": f"{USUAL.p:g}"},
        _("share among the disguised less share among the open"),
        _("estimated support"),
        DIFFERENCES,
        curves,
        level=(_("truth"), TRUTH),
        note=_("line: mean; band: nine repetitions of ten"),
        band=True,
    )


def _w() -> str:
    return _("mean W = |S - S'|")


def _figure(
    varied: Varied, reading: Reading, name: str, up: str, rows: Sequence[SettingRow], curves: Sequence[Curve]
) -> Figure:
    usual = PaperSetting(reading)
    fixed = ", ".join(f"{part} = {getattr(usual, part):g}" for part in ("k", "p", "theta") if part != varied)
    who = {"open": _("k: share who answer openly"), "randomised": _("k: share who are randomised")}[reading]
    drawn = _("points: simulated, with 95 % interval; line: theory, or joined")
    across = who if varied == "k" else _("p: chance that a randomised answer is the true one")
    return Figure(
        f"{name} ({fixed})",
        across,
        up,
        [row.value for row in rows],
        curves,
        note=f"{who}; {drawn}",
        span=(0.0, 1.0),
    )


def _curve(name: str, means: Sequence[Mean], theory: Sequence[tuple[float, float]] = ()) -> Curve:
    """Whiskers of 1.96 standard errors, clipped at 0, since no value here is negative."""
    reach = [1.96 * mean.se for mean in means]
    middle = [mean.value for mean in means]
    low = [max(value - by, 0.0) for value, by in zip(middle, reach, strict=True)]
    high = [value + by for value, by in zip(middle, reach, strict=True)]
    return Curve(name, middle, low, high, theory)


def _expected(varied: Varied, count: str) -> list[tuple[float, float]]:
    points = []
    for value in FINE:
        at = setting("open", varied, value)
        if defined(at.survey, DOCUMENTS) and (itemsets := expected(at, DOCUMENTS)):
            points.append((value, itemsets[count]))
    return points


def _theory(
    varied: Varied, reading: Reading, estimator: str, size: int, at: Sequence[float]
) -> list[tuple[float, float]]:
    """Theory: the mean over the itemsets of this size (0: all), where it is defined."""
    points = []
    for value in at:
        survey = setting(reading, varied, value).survey
        if not defined(survey, estimator):
            continue
        sizes = [len(itemset) for itemset in places(survey.questions)]
        chosen = [not size or length == size for length in sizes]
        points.append((value, float(expected_w(survey, estimator)[chosen].mean())))
    return points
