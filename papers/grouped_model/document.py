"""Document 004, the grouped unrelated-question model: its claims judged, W, and what mining finds, from the tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from django.utils.translation import gettext as _

from papers.documents import (
    Claim,
    Document,
    PrintedItem,
    Reproduction,
    Run,
    Section,
    Slider,
    Table,
    Verdict,
    judge,
)
from papers.drawing import Curve, Figure
from papers.grouped_model import results
from papers.grouped_model.mined import BIASED, COHERENT, DIFFERENCES, MINED, TRUTH
from papers.grouped_model.survey import (
    USUAL,
    VALUES,
    PaperSetting,
    Posterior,
    Reading,
    Varied,
    improved_law,
    posteriors,
    proven_share,
    question_indexes,
    setting_with,
)
from papers.grouped_model.theory import expected_itemsets, expected_w, is_defined
from papers.tables import decimal, percent, read_csv

DOCUMENTS, *OTHERS = (*MINED, COHERENT)
"""The document's estimator, and the others."""
FINE = tuple(round(step / 100, 2) for step in range(101))
"""The points of a line of theory."""
OVER_P: tuple[Varied, Reading] = ("p", "open")
W_FIGURES: tuple[tuple[Varied, Reading], ...] = (
    OVER_P,
    ("k", "open"),
    ("p", "randomised"),
    ("k", "randomised"),
)
FIGURE_1 = {0.1: 0.0127, 0.3: 0.0076, 0.5: 0.0050, 0.7: 0.0032, 0.9: 0.0016}
"""W by p, all itemsets, at k = .2, where k is the share who answer openly: recomputed independently by theory."""
COUNTED = (
    ("itemsets", "in_d"),
    ("itemsets", "false_positives"),
    ("itemsets", "misses"),
    ("rules", "in_d"),
    ("rules", "false_positives"),
    ("rules", "misses"),
)

Line = Mapping[str, str]


@dataclass(frozen=True)
class Numbers:
    """The lines of the tables *mined*, *w* and *bias*."""

    mined: Sequence[Line]
    w: Sequence[Line]
    bias: Sequence[Line]

    def counts(self, varied: Varied, estimator: str = DOCUMENTS) -> list[Line]:
        """The counts of itemsets and rules as one parameter varies, where k is the share who answer openly."""
        return [line for line in self.mined if _key(line) == (varied, "open", estimator)]

    def errors(self, varied: Varied, reading: Reading, estimator: str, size: int) -> list[Line]:
        """W of the itemsets of this size (0: of all) as one varies."""
        return [
            line
            for line in self.w
            if _key(line) == (varied, reading, estimator)
            and (line["size"], line["itemset"]) == (str(size), "")
        ]


def _key(line: Line) -> tuple[str, str, str]:
    return line["varied"], line["reading"], line["estimator"]


def reproduce(run: Run) -> Reproduction:
    """The page and the tables; the simulation takes minutes, so its numbers are stored."""
    tables = run.stored or results.compute_tables(run)
    numbers = Numbers(*(read_csv(tables[name]) for name in ("mined", "w", "bias")))
    return Reproduction(lambda: document(numbers, run.repetitions), tables)


def document(numbers: Numbers, repetitions: int) -> Document:
    usual, judgements = PaperSetting("open"), claims(numbers)
    return Document(
        "004",
        "grouped-model",
        "Kan, Cao",
        "",
        ("004", "warner-1965", "greenberg-1969"),
        [
            _(
                "D are the true answers of %(n)s simulated respondents to three yes/no questions a, b and c: .44, "
                ".36 and .26 answer yes, and .10 all three. D* is what is received: some answer openly; of the "
                "others, each sends all true answers with probability p, else every answer is yes with probability "
                "theta. Both are mined; W = |S - S'| is how far a reconstructed support is from that in D."
            )
            % {"n": f"{usual.respondents:,}"},
            _(
                "The document uses k for two things: in its section 3 it is the share who answer openly, in its "
                "section 4 the share who are randomised. They are the same surveys under k and 1-k; figures show "
                "both. Unless varied, k = %(k)s, p = %(p)s, theta = %(theta)s, smallest support %(support)s, "
                "smallest confidence %(confidence)s; every setting is simulated %(repetitions)s times. The CSV "
                "files have standard errors, theory, both readings and all estimators; in the tables k is the share "
                "who answer openly."
            )
            % {
                "k": f"{usual.k:g}",
                "p": f"{usual.p:g}",
                "theta": f"{usual.theta:g}",
                "support": f"{usual.min_support:g}",
                "confidence": f"{usual.min_confidence:g}",
                "repetitions": repetitions,
            },
        ],
        judgements,
        [
            PrintedItem(
                _("Figure %(number)s") % {"number": 1},
                _("W over p"),
                judgements[2].verdict,
                _("Met to the digits that were computed independently; the document shows curves."),
            ),
            PrintedItem(
                "–",
                _("Further tables and figures of the document"),
                Verdict.UNAVAILABLE,
                _(
                    "Neither their captions nor their digits are in the repository; W over k is made again below."
                ),
            ),
        ],
        sections(numbers),
    )


def claims(numbers: Numbers) -> list[Claim]:
    records = posteriors()
    proven = [row for row in records if row.proves]
    improved = [row.improved for row in proven]
    none = records[0]
    gamma = improved_law().gamma
    by_p = {_varied_value(line): line for line in numbers.errors(*OVER_P, DOCUMENTS, 0)}
    lines = [by_p[p] for p in FIGURE_1 if p in by_p]
    theory = [decimal(float(line["w_theory"])) for line in lines]
    simulated = [decimal(float(line["w"])) for line in lines]
    return [
        judge(
            _("The original grouped model leaks; the improved one does not."),
            _(
                "Original: %(share)s of the randomised records prove themselves true. Improved: gamma is %(gamma)s "
                "= %(decimal)s, and the same records are true with a probability of %(least)s to %(most)s."
            )
            % {
                "share": percent(float(proven_share())),
                "gamma": gamma,
                "decimal": f"{float(gamma):.2f}",
                "least": f"{min(improved):.2f}",
                "most": f"{max(improved):.2f}",
            },
            bool(proven) and max(improved) < 1,
            _("One random answer for all questions never gives a mixed record; one for each question does."),
        ),
        Claim(
            _("What the improvement costs: the record of no to all."),
            _("It is true with a probability of %(improved)s instead of %(original)s.")
            % {"improved": f"{none.improved:.2f}", "original": f"{none.original:.2f}"},
            Verdict.BEYOND,
            _("Random answers that are drawn apart are seldom no to all, so such a record says more."),
        ),
        judge(
            _(
                "Figure 1: W falls as p rises (curve; recomputed independently at p .1, .3, .5, .7, .9: "
                "%(figures)s)."
            )
            % {"figures": " / ".join(map(decimal, FIGURE_1.values()))},
            _("Theory %(theory)s; simulated %(simulated)s.")
            % {"theory": " / ".join(theory), "simulated": " / ".join(simulated)},
            theory == list(map(decimal, list(FIGURE_1.values())[: len(theory)])),
            _("W is sqrt(2/pi) times the standard deviation of S' - S."),
        ),
        Claim(
            _("Open and randomised respondents answer alike."),
            _("The document's inversion is off where they do not; the product's own is not."),
            Verdict.BEYOND,
            _("The document assumes it. Candor estimates both groups apart."),
        ),
    ]


def sections(numbers: Numbers) -> list[Section]:
    return [
        Section(
            _("What one record proves"),
            tables=[_posteriors_table(posteriors())],
            sliders=[_keep_slider(), _theta_slider()],
        ),
        Section(
            _("W"),
            figures=[
                *(w_figure(varied, reading, numbers) for varied, reading in W_FIGURES),
                others_figure(numbers),
            ],
            sliders=[_w_slider("p"), _w_slider("k")],
        ),
        Section(
            _("What mining finds"),
            figures=[counts_figure(varied, numbers) for varied in ("p", "k")],
            tables=[_sweep_table(varied, numbers) for varied in VALUES],
        ),
        Section(
            _("Where open answerers differ"), figures=[bias_figure(numbers)], tables=[_bias_table(numbers)]
        ),
    ]


def _posteriors_table(posteriors: Sequence[Posterior]) -> Table:
    return Table(
        _("What one record proves: the probability that its answers are the true ones"),
        [_("record (a, b, c)"), _("before"), _("original model"), _("improved model")],
        [
            [row.record, decimal(row.before), decimal(row.original), decimal(row.improved)]
            for row in posteriors
        ],
        _("Original: what is not kept is one random answer for all questions. Improved: one for each."),
        "posteriors",
    )


def _sweep_table(varied: Varied, numbers: Numbers) -> Table:
    names = {
        "k": _("the share k"),
        "p": _("the keep probability p"),
        "theta": _("the chance theta of a random yes"),
        "questions": _("the number of questions"),
        "respondents": _("the number of respondents"),
        "min_support": _("the smallest support"),
        "min_confidence": _("the smallest confidence"),
    }
    counted = [_("itemsets in D"), _("false itemsets"), _("missed itemsets")]
    counted += [_("rules in D"), _("false rules"), _("missed rules")]
    return Table(
        _("Over %(name)s") % {"name": names[varied]},
        [varied, *counted, "W", _("W by theory")],
        [
            [
                f"{_varied_value(line):g}",
                *(
                    f"{float(cell):.2f}" if (cell := line[f"{kind}_{count}"]) else ""
                    for kind, count in COUNTED
                ),
                f"{float(error['w']):.5f}",
                f"{float(error['w_theory'] or 0):.5f}",
            ]
            for line, error in zip(
                numbers.counts(varied), numbers.errors(varied, "open", DOCUMENTS, 0), strict=True
            )
        ],
        file="mined",
    )


def _bias_table(numbers: Numbers) -> Table:
    return Table(
        _("Where open answerers differ: the estimated support, 25 % in truth"),
        [_("share among the disguised less share among the open"), *MINED],
        [
            [
                f"{difference:g}",
                *(
                    decimal(float(line["mean"]))
                    for line in numbers.bias
                    if float(line["difference"]) == difference
                ),
            ]
            for difference in DIFFERENCES
        ],
        _(
            "The document's inversion is pooled: it takes both groups for alike. The product's own is stratified "
            "and stays true where they differ."
        ),
        "bias",
    )


def _varied_value(line: Line) -> float:
    """The value of the parameter that is varied."""
    return float(line[line["varied"]])


# --- sliders ----------------------------------------------------------------------------------------


def _keep_slider() -> Slider:
    """The original model proves mixed records whatever p is."""
    lines = []
    for step in range(1, 20):
        p = Fraction(step, 20)
        law = improved_law(p)
        rows = posteriors(p)
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


def _theta_slider() -> Slider:
    lines = []
    for step in range(1, 20):
        theta = Fraction(step, 20)
        survey = replace(USUAL.survey, theta=float(theta))
        w = [float(expected_w(survey, name).mean()) for name in MINED]
        lines.append([float(theta), float(improved_law(theta=theta).gamma), *w])
    return Slider(
        _("The chance theta of a random yes"),
        ["theta", _("gamma"), *(f"W, {name}" for name in MINED)],
        lines,
        _("Gamma and the expected W of all itemsets at p = .3, a fifth open, 10,000 respondents."),
        11,
        1,
    )


def _w_slider(varied: Varied) -> Slider:
    lines = []
    for value in FINE[5:100:5]:
        survey = setting_with("open", varied, value).survey
        lines.append([value, *(float(expected_w(survey, name).mean()) for name in MINED)])
    return Slider(
        _("Expected W over %(varied)s") % {"varied": varied},
        [varied, *MINED],
        lines,
        _("By theory, all itemsets; k is the share who answer openly."),
        5 if varied == "p" else 3,
    )


# --- figures ----------------------------------------------------------------------------------------


def w_figure(varied: Varied, reading: Reading, numbers: Numbers) -> Figure:
    sizes = {0: _("all itemsets"), 1: _("1 item"), 2: _("2 items"), 3: _("3 items")}
    at, curves = [], []
    for size, name in sizes.items():
        lines = numbers.errors(varied, reading, DOCUMENTS, size)
        at = [_varied_value(line) for line in lines]
        curves.append(_curve(name, lines, "w", _theory_points(varied, reading, DOCUMENTS, size, FINE)))
    name = (
        _("Figure 1: W over p")
        if (varied, reading) == OVER_P
        else _("W over %(varied)s") % {"varied": varied}
    )
    return _figure_over(varied, reading, name, _("mean W = |S - S'|"), at, curves)


def others_figure(numbers: Numbers) -> Figure:
    """W over p of the other estimators, all sizes together.

    The line of theory ends at the last points, since it grows without bound beyond.
    """
    at: list[float] = []
    curves = []
    for name in OTHERS:
        lines = numbers.errors(*OVER_P, name, 0)
        at = [_varied_value(line) for line in lines]
        within = [value for value in FINE if at[0] <= value <= at[-1]]
        curves.append(
            _curve(name, lines, "w", [] if name == COHERENT else _theory_points(*OVER_P, name, 0, within))
        )
    return _figure_over(
        *OVER_P, _("Other estimators: W over p, all itemsets"), _("mean W = |S - S'|"), at, curves
    )


def counts_figure(varied: Varied, numbers: Numbers) -> Figure:
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
                (value, float(expected_itemsets(chosen.survey, DOCUMENTS, chosen.min_support)[column]))
                for value, chosen in zip(FINE, settings, strict=True)
                if is_defined(chosen.survey, DOCUMENTS)
            ]
        curves.append(_curve(name, lines, f"{kind}_{count}", theory))
    title = _("D* against D over %(varied)s") % {"varied": varied}
    at = list(map(_varied_value, lines))
    return _figure_over(varied, "open", title, _("number per data set"), at, curves)


def bias_figure(numbers: Numbers) -> Figure:
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


def _figure_over(
    varied: Varied, reading: Reading, name: str, up: str, at: Sequence[float], curves: Sequence[Curve]
) -> Figure:
    usual = PaperSetting(reading)
    fixed = ", ".join(f"{part} = {getattr(usual, part):g}" for part in ("k", "p", "theta") if part != varied)
    who = {"open": _("k: share who answer openly"), "randomised": _("k: share who are randomised")}[reading]
    drawn = _("points: simulated, with 95 % interval; line: theory, or joined")
    across = who if varied == "k" else _("p: chance that a randomised answer is the true one")
    return Figure(f"{name} ({fixed})", across, up, at, curves, note=f"{who}; {drawn}", span=(0.0, 1.0))


def _curve(name: str, lines: Sequence[Line], column: str, theory: Sequence[tuple[float, float]]) -> Curve:
    """Whiskers of 1.96 standard errors, clipped at 0, since no value here is negative."""
    middle = [float(line[column]) for line in lines]
    reach = [1.96 * float(line[f"{column}_se"]) for line in lines]
    low = [max(value - by, 0.0) for value, by in zip(middle, reach, strict=True)]
    high = [value + by for value, by in zip(middle, reach, strict=True)]
    return Curve(name, middle, low, high, theory)


def _theory_points(
    varied: Varied, reading: Reading, estimator: str, size: int, at: Sequence[float]
) -> list[tuple[float, float]]:
    """Points of the expected W by theory: the mean over the itemsets of this size (0: all), where it is defined."""
    points = []
    for value in at:
        survey = setting_with(reading, varied, value).survey
        if not is_defined(survey, estimator):
            continue
        sizes = [len(itemset) for itemset in question_indexes(survey.questions)]
        chosen = [not size or length == size for length in sizes]
        points.append((value, float(expected_w(survey, estimator)[chosen].mean())))
    return points
