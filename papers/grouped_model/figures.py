"""The figures: W over k and over p, and false and missed itemsets and rules, for each reading of k.

The paper's curve, that of the pooled estimator, has a figure of its own, to be compared with the paper's; what the
paper does not have is in other figures.
"""

from collections.abc import Iterator, Mapping, Sequence

from papers.drawing import Curve, Figure
from papers.grouped_model.bias import DIFFERENCES, TRUTH, USUAL, MeanAndBand
from papers.grouped_model.mined import COHERENT, MINED
from papers.grouped_model.rows import Mean, SettingRow, expected
from papers.grouped_model.settings import READINGS, PaperSetting, Reading, Varied, places, setting
from papers.grouped_model.theory import defined, expected_w

PAPER, *OTHERS = (*MINED, COHERENT)
DRAWN: tuple[Varied, ...] = ("k", "p")
SIZES = {1: "1 item", 2: "2 items", 3: "3 items"}
ACROSS = {
    ("k", "open"): "k: share who answer openly",
    ("k", "randomised"): "k: share who are randomised",
    ("p", "open"): "p: chance that a randomised answer is the true one",
    ("p", "randomised"): "p: chance that a randomised answer is the true one",
}
FINE = tuple(round(step / 100, 2) for step in range(101))
"""The points of a line of theory."""
NOTE = "points: simulated, with the mean's 95 % interval; line: theory"
OF_FOUND = "points: simulated, with the mean's 95 % interval; line: theory (rules: none, joined)"
JOINED = "points: simulated, with the mean's 95 % interval; line: theory (coherent: none, joined)"


def figures(
    rows: Sequence[SettingRow], bias: Mapping[str, Sequence[MeanAndBand]]
) -> Iterator[tuple[str, Figure]]:
    """Names of files, without extension, and figures."""
    for varied in DRAWN:
        for reading in READINGS:
            mine = [row for row in rows if row.varied == varied and row.setting.reading == reading]
            name = f"by-{varied}-{reading}"
            yield f"w-{name}", of_paper(varied, reading, mine)
            yield f"w-{name}-others", of_others(varied, reading, mine)
            yield f"found-{name}", of_found(varied, reading, mine)
    yield "bias", of_bias(bias)


def of_paper(varied: Varied, reading: Reading, rows: Sequence[SettingRow]) -> Figure:
    mine = [row for row in rows if row.estimator == PAPER]
    curves = [
        _curve(name, [row.of_size(size).w for row in mine], _theory(varied, reading, PAPER, size, FINE))
        for size, name in SIZES.items()
    ]
    title = f"Pooled, the paper's inversion: W over {varied} ({usual(varied, reading)})"
    return _figure(varied, reading, title, "mean W = |S - S'|", mine, curves, NOTE)


def of_others(varied: Varied, reading: Reading, rows: Sequence[SettingRow]) -> Figure:
    """All sizes together. The line of theory ends at the last points, since it grows without bound beyond."""
    curves = []
    mine: list[SettingRow] = []
    for name in OTHERS:
        mine = [row for row in rows if row.estimator == name]
        at = [place for place in FINE if mine[0].value <= place <= mine[-1].value]
        theory = _theory(varied, reading, name, 0, at) if name != COHERENT else []
        curves.append(_curve(name, [row.of_size(0).w for row in mine], theory))
    title = f"Other estimators: W over {varied}, all itemsets ({usual(varied, reading)})"
    return _figure(varied, reading, title, "mean W = |S - S'|", mine, curves, JOINED)


def of_found(varied: Varied, reading: Reading, rows: Sequence[SettingRow]) -> Figure:
    mine = [row for row in rows if row.estimator == PAPER]
    wanted = {
        "false itemsets": ("itemsets", "false_positives"),
        "missed itemsets": ("itemsets", "misses"),
        "false rules": ("rules", "false_positives"),
        "missed rules": ("rules", "misses"),
    }
    curves = []
    for name, (kind, count) in wanted.items():
        means = [mean for row in mine if (mean := row.counts[kind][count])]
        theory = _expected(varied, reading, count) if kind == "itemsets" else []
        curves.append(_curve(name, means, theory))
    title = f"Pooled: D* against D over {varied} ({usual(varied, reading)})"
    return _figure(varied, reading, title, "number per data set", mine, curves, OF_FOUND)


def of_bias(found: Mapping[str, Sequence[MeanAndBand]]) -> Figure:
    curves = [
        Curve(name, *([getattr(of, part) for of in spreads] for part in ("mean", "low", "high")))
        for name, spreads in found.items()
    ]
    return Figure(
        f"Where open answerers differ: a support of {TRUTH:.0%} (half open, p = {USUAL.p:g})",
        "share among the disguised less share among the open",
        "estimated support",
        DIFFERENCES,
        curves,
        level=("truth", TRUTH),
        note="line: mean; band: nine repetitions of ten",
        band=True,
    )


def usual(varied: Varied, reading: Reading) -> str:
    """The fixed parameters of a figure."""
    of = PaperSetting(reading)
    return ", ".join(f"{name} = {getattr(of, name):g}" for name in ("k", "p", "theta") if name != varied)


def _figure(
    varied: Varied,
    reading: Reading,
    title: str,
    up: str,
    rows: Sequence[SettingRow],
    curves: Sequence[Curve],
    note: str,
) -> Figure:
    at = [row.value for row in rows]
    return Figure(title, ACROSS[varied, reading], up, at, curves, note=note, span=(0.0, 1.0))


def _curve(name: str, means: Sequence[Mean], theory: Sequence[tuple[float, float]] = ()) -> Curve:
    """Whiskers of 1.96 standard errors, clipped at 0, since no value here is negative."""
    reach = [1.96 * mean.se for mean in means]
    middle = [mean.value for mean in means]
    low = [max(value - by, 0.0) for value, by in zip(middle, reach, strict=True)]
    high = [value + by for value, by in zip(middle, reach, strict=True)]
    return Curve(name, middle, low, high, theory)


def _expected(varied: Varied, reading: Reading, count: str) -> list[tuple[float, float]]:
    line = []
    for value in FINE:
        at = setting(reading, varied, value)
        if defined(at.survey, PAPER) and (of := expected(at, PAPER)):
            line.append((value, of[count]))
    return line


def _theory(
    varied: Varied, reading: Reading, estimator: str, size: int, at: Sequence[float]
) -> list[tuple[float, float]]:
    """Theory: the mean over the itemsets of this size (0: all), where it is defined."""
    line = []
    for value in at:
        survey = setting(reading, varied, value).survey
        if not defined(survey, estimator):
            continue
        sizes = [len(itemset) for itemset in places(survey.questions)]
        chosen = [not size or of == size for of in sizes]
        line.append((value, float(expected_w(survey, estimator)[chosen].mean())))
    return line
