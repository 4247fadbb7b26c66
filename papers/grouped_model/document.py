"""Builds the page of document 004, the grouped unrelated-question model: claims, errors W, mining."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import four_decimals, percent, read_csv
from papers.document_structure import (
    Claim,
    Document,
    PrintedItem,
    Reproduction,
    ReproductionOptions,
    Section,
    Table,
    Verdict,
    judge_claim,
)
from papers.grouped_model import result_tables
from papers.grouped_model.figures import (
    DOCUMENTS,
    OVER_P,
    ResultRows,
    bias_figure,
    counts_figure,
    keep_slider,
    other_estimators_figure,
    theta_slider,
    varied_value,
    w_figure,
    w_slider,
)
from papers.grouped_model.repeated_mining import DIFFERENCES, MINED
from papers.grouped_model.simulated_survey import (
    VALUES,
    PaperSetting,
    Posterior,
    Reading,
    Varied,
    improved_model_law,
    record_posteriors,
    revealing_record_share,
)

W_FIGURES: tuple[tuple[Varied, Reading], ...] = (
    OVER_P,
    ("k", "open"),
    ("p", "randomised"),
    ("k", "randomised"),
)
FIGURE_1 = {0.1: 0.0127, 0.3: 0.0076, 0.5: 0.0050, 0.7: 0.0032, 0.9: 0.0016}
"""Error W by keep probability p, all itemsets, at k = .2 (share who answer openly), by theory."""


def reproduce(options: ReproductionOptions) -> Reproduction:
    """Reproduces the document: returns its page and tables.

    The simulation takes minutes, so its numbers are stored.
    """
    tables = options.stored or result_tables.compute_tables(options)
    numbers = ResultRows(*(read_csv(tables[name]) for name in ("mined", "w", "bias")))
    return Reproduction(lambda: document(numbers, options.repetitions), tables)


def document(numbers: ResultRows, repetitions: int) -> Document:
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


def claims(numbers: ResultRows) -> list[Claim]:
    records = record_posteriors()
    proven = [row for row in records if row.proves_answers_originally]
    improved = [row.improved for row in proven]
    none = records[0]
    gamma = improved_model_law().gamma
    by_p = {varied_value(line): line for line in numbers.errors(*OVER_P, DOCUMENTS, 0)}
    lines = [by_p[p] for p in FIGURE_1 if p in by_p]
    theory = [four_decimals(float(line["w_theory"])) for line in lines]
    simulated = [four_decimals(float(line["w"])) for line in lines]
    return [
        judge_claim(
            _("The original grouped model leaks; the improved one does not."),
            _(
                "Original: %(share)s of the randomised records prove themselves true. Improved: gamma is %(gamma)s "
                "= %(decimal)s, and the same records are true with a probability of %(least)s to %(most)s."
            )
            % {
                "share": percent(float(revealing_record_share())),
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
        judge_claim(
            _(
                "Figure 1: W falls as p rises (curve; recomputed independently at p .1, .3, .5, .7, .9: "
                "%(figures)s)."
            )
            % {"figures": " / ".join(map(four_decimals, FIGURE_1.values()))},
            _("Theory %(theory)s; simulated %(simulated)s.")
            % {"theory": " / ".join(theory), "simulated": " / ".join(simulated)},
            theory == list(map(four_decimals, list(FIGURE_1.values())[: len(theory)])),
            _("W is sqrt(2/pi) times the standard deviation of S' - S."),
        ),
        Claim(
            _("Open and randomised respondents answer alike."),
            _("The document's inversion is off where they do not; the product's own is not."),
            Verdict.BEYOND,
            _("The document assumes it. Candor estimates both groups apart."),
        ),
    ]


def sections(numbers: ResultRows) -> list[Section]:
    return [
        Section(
            _("What one record proves"),
            tables=[_posteriors_table(record_posteriors())],
            sliders=[keep_slider(), theta_slider()],
        ),
        Section(
            _("W"),
            figures=[
                *(w_figure(varied, reading, numbers) for varied, reading in W_FIGURES),
                other_estimators_figure(numbers),
            ],
            sliders=[w_slider("p"), w_slider("k")],
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
        [
            (_("record (a, b, c)"), "record"),
            (_("before"), "before:.4f"),
            (_("original model"), "original:.4f"),
            (_("improved model"), "improved:.4f"),
        ],
        posteriors,
        _("Original: what is not kept is one random answer for all questions. Improved: one for each."),
        "posteriors",
    )


def _sweep_table(varied: Varied, numbers: ResultRows) -> Table:
    names = {
        "k": _("the share k"),
        "p": _("the keep probability p"),
        "theta": _("the chance theta of a random yes"),
        "questions": _("the number of questions"),
        "respondents": _("the number of respondents"),
        "min_support": _("the smallest support"),
        "min_confidence": _("the smallest confidence"),
    }
    counted = [
        (_("itemsets in D"), "itemsets_in_d:.2f"),
        (_("false itemsets"), "itemsets_false_positives:.2f"),
        (_("missed itemsets"), "itemsets_misses:.2f"),
        (_("rules in D"), "rules_in_d:.2f"),
        (_("false rules"), "rules_false_positives:.2f"),
        (_("missed rules"), "rules_misses:.2f"),
    ]
    return Table(
        _("Over %(name)s") % {"name": names[varied]},
        [(varied, f"{varied}:g"), *counted, ("W", "w:.5f"), (_("W by theory"), "w_theory:.5f")],
        [
            {**line, **error}
            for line, error in zip(
                numbers.counts(varied), numbers.errors(varied, "open", DOCUMENTS, 0), strict=True
            )
        ],
        file="mined",
    )


def _bias_table(numbers: ResultRows) -> Table:
    return Table(
        _("Where open answerers differ: the estimated support, 25 % in truth"),
        [
            (_("share among the disguised less share among the open"), "difference:g"),
            *((name, f"{name}:.4f") for name in MINED),
        ],
        [
            {"difference": difference}
            | {
                line["estimator"]: line["mean"]
                for line in numbers.bias
                if float(line["difference"]) == difference
            }
            for difference in DIFFERENCES
        ],
        _(
            "The document's inversion is pooled: it takes both groups for alike. The product's own is stratified "
            "and stays true where they differ."
        ),
        "bias",
    )
