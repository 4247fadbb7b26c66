"""Builds the page of document 004, the grouped unrelated-question model: judgements, errors W, mining."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import four_decimals, percent, read_csv
from papers.document_structure import (
    Document,
    Judgement,
    OwnData,
    Reproduction,
    ReproductionOptions,
    Section,
    Table,
    Verdict,
    in_part_if,
    judge,
)
from papers.grouped_model import formulas, result_tables
from papers.grouped_model.expected_error import expected_w_by_itemset
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
    KEEP,
    READINGS,
    THETA,
    USUAL,
    VALUES,
    PaperSetting,
    Posterior,
    Reading,
    Varied,
    improved_model_law,
    record_posteriors,
    revealing_record_share,
    setting_with,
    true_supports,
)
from ui.number_format import MINUS

W_FIGURES: tuple[tuple[Varied, Reading], ...] = (
    OVER_P,
    ("k", "open"),
    ("p", "randomised"),
    ("k", "randomised"),
)
SHOWN = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)
"""Values of p whose W a page tells, at k = .2 (share who answer openly)."""


def reproduce(options: ReproductionOptions) -> Reproduction:
    """Reproduces the document: returns its page and tables.

    The simulation takes minutes, so its numbers are stored.
    """
    tables = options.stored or result_tables.compute_tables(options)
    numbers = ResultRows(*(read_csv(tables[name]) for name in ("mined", "w", "bias")))
    return Reproduction(lambda: document(numbers, options.repetitions), tables)


def document(numbers: ResultRows, repetitions: int) -> Document:
    usual = PaperSetting("open")
    return Document(
        "grouped-model",
        "Kan Yingying, Cao Tianjie",
        "",
        ("004", "warner-1965", "greenberg-1969"),
        [
            _(
                "D are the true answers of %(n)s simulated respondents to three yes/no questions a, b and "
                "c: .44, .36 and .26 answer yes, and .10 all three. D* is what is received: some answer "
                "openly; of the others, each sends all true answers with probability p, else every answer "
                "is yes with probability theta. Both are mined; W = |S - S'| is how far a reconstructed "
                "support is from that in D."
            )
            % {"n": f"{usual.respondents:,}"},
            _(
                "The document uses k for two things: in its section 3 it is the share who answer openly, "
                "in its section 4 the share who are randomised. They are the same surveys under k and 1-k; "
                "figures show both. Unless varied, k = %(k)s, p = %(p)s, theta = %(theta)s, smallest "
                "support %(support)s, smallest confidence %(confidence)s; every setting is simulated "
                "%(repetitions)s times. The CSV files have standard errors, theory, both readings and all "
                "estimators; in the tables k is the share who answer openly."
            )
            % {
                "k": f"{usual.k:g}",
                "p": f"{usual.p:g}",
                "theta": f"{usual.theta:g}",
                "support": f"{usual.min_support:g}",
                "confidence": f"{usual.min_confidence:g}",
                "repetitions": repetitions,
            },
            _("The text ends where it is continued on another page: its conclusion is not in it."),
        ],
        [
            *judgements_of_formulas(),
            *judgements_of_records(numbers),
            *judgements_of_errors(numbers, repetitions),
        ],
        sections(numbers),
        [
            OwnData(
                _("What a disguise finds, misses and invents in a table of yours"), page="own_tables:index"
            ),
            OwnData(_("The same from a file:"), "candor own-table TABLE --keep .3"),
            OwnData(
                _("Mining of disguised records:"),
                "candor mine DESIGN.json RECORDS.csv --min-support .15 --min-confidence .55 --estimator "
                "pooled",
            ),
        ],
    )


def judgements_of_formulas() -> Iterator[Judgement]:
    """Judges (1) to (16), at the usual setting and a share of .44."""
    share, theta = Fraction(11, 25), Fraction(9, 10)
    seen, back = formulas.warner(share, theta)
    yield judge("004-1", back == share, theta=theta, share=share, seen=seen, back=back)
    near, far = (
        sqrt(seen * (1 - seen) / 10_000) / float(2 * of - 1)
        for of in (Fraction(51, 100), theta)
        for seen in (formulas.warner(share, of)[0],)
    )
    yield judge("004-half", far < near, near=four_decimals(near), far=four_decimals(far))
    seen, back = formulas.grouped(share, Fraction(0))
    yield judge("004-2", back == share, seen=seen, back=back)
    seen, back = formulas.grouped(share)
    yield judge("004-3", back == share, seen=seen)
    yield judge("004-4", back == share, back=back)
    no = formulas.OPEN * (1 - share) + KEEP * (1 - formulas.OPEN) * (1 - share)
    no += (1 - formulas.OPEN) * (1 - KEEP) * (1 - THETA)
    yield judge("004-5", seen + no == 1, yes=seen, no=no)
    mean, variance, stated = formulas.mean_and_variance(share, 10)
    outcomes = {"n": 10, "outcomes": 11, "mean": mean, "variance": f"{float(variance):.5f}"}
    yield judge("004-6", (mean, variance) == (share, stated), **outcomes)
    yield judge("004-estimate", in_part_if(mean == share), seen=seen, n=10, outcomes=11)
    checks = formulas.check_inversion()
    groups = {
        (7, 8): [(1, 0)],
        (9,): [(0, 1)],
        (10,): [(2, 0)],
        (11, "inverse"): [(2, 0), (1, 1), (0, 2)],
        (14,): [(2, 0), (3, 0)],
        (15,): [(0, 2), (0, 3)],
        (16,): [(1, 1), (2, 1), (1, 2)],
    }
    for numbers, keys in groups.items():
        met = [each for key in keys for each in checks[key]]
        for number in numbers:
            yield judge(f"004-{number}", all(met), cells=len(met))
    of_three = [each for (yes, no), met in checks.items() if yes + no == 3 for each in met]
    truth, printed = formulas.last_yes_alone_as_printed()
    yield judge(
        "004-12",
        in_part_if(all(of_three)),
        cells=len(of_three),
        truth=f"{float(truth):.2f}",
        printed=four_decimals(float(printed)).replace("-", MINUS),
    )
    yield judge("004-13", Verdict.FAILS)
    every = [each for met in checks.values() for each in met]
    yield judge("004-range", in_part_if(all(every)), cells=len(every))


def judgements_of_records(numbers: ResultRows) -> Iterator[Judgement]:
    records = record_posteriors()
    improved = [row.improved for row in records if row.proves_answers_originally]
    span = {"least": f"{min(improved):.2f}", "most": f"{max(improved):.2f}"}
    gamma = improved_model_law().gamma
    revealed = revealing_record_share()
    yield judge("004-leaks", revealed > 0, share=percent(float(revealed)))
    yield judge("004-improved", max(improved) < 1, gamma=gamma, decimal=f"{float(gamma):.2f}", **span)
    none, (w, *_others) = records[0], _frequent_w(0.3)
    of_none = {"none": f"{none.improved:.2f}", "none_original": f"{none.original:.2f}"}
    yield judge("004-low-error", in_part_if(max(improved) < 1), w=four_decimals(w), **span, **of_none)
    yield judge("004-27", Verdict.NOT_PUBLIC)
    apart = {
        line["estimator"]: f"{float(line['mean']):.4f}"
        for line in numbers.bias
        if float(line["difference"]) == 0.2
    }
    is_off = abs(float(apart["pooled"]) - 0.25) > 10 * abs(float(apart["stratified"]) - 0.25)
    yield judge("004-choose", in_part_if(is_off), pooled=apart["pooled"], stratified=apart["stratified"])


def _frequent_w(p: float) -> tuple[float, float]:
    """Returns the expected W of the frequent itemsets at p, with k the share of open, and of randomised people."""
    frequent = true_supports(USUAL.questions) >= USUAL.min_support
    opened, randomised = (
        expected_w_by_itemset(setting_with(reading, "p", p).survey, DOCUMENTS)[frequent]
        for reading in READINGS
    )
    return float(opened.mean()), float(randomised.mean())


def judgements_of_errors(numbers: ResultRows, repetitions: int) -> Iterator[Judgement]:
    """Judges W of the frequent itemsets, simulated and by theory; p = 0 and 1 are by theory alone."""
    simulated = numbers.frequent_errors(*OVER_P)
    by_p = {f"{p:g}": f"{error.w:.4f} ± {error.most_se:.4f}" for p, error in simulated.items()}
    theory = {p: _frequent_w(p)[0] for p in SHOWN}
    randomised = " / ".join(four_decimals(_frequent_w(p)[1]) for p in SHOWN)
    met = all(abs(error.w - error.theory) < 4 * error.most_se for error in simulated.values())
    falls = list(theory.values()) == sorted(theory.values(), reverse=True)
    shown = ", ".join(by_p.values())
    ends = ", ".join(four_decimals(theory[p]) for p in (0, 1))
    yield judge("004-setting", met, ps=", ".join(by_p), simulated=shown, ends=ends)
    at = simulated[0.3]
    w = {"simulated": by_p["0.3"], "theory": four_decimals(at.theory), "itemsets": ", ".join(at.itemsets)}
    yield judge("004-w", met, **w)
    yield judge(
        "004-figure-1", falls, theory=" / ".join(map(four_decimals, theory.values())), randomised=randomised
    )
    low, high = (f"{float(improved_model_law(Fraction(str(p))).gamma):.1f}" for p in (0.1, 0.9))
    yield judge("004-near-1", theory[1] == 0, w=four_decimals(theory[1]), low=low, high=high)
    errors = {"w_low": four_decimals(theory[0.1]), "w_high": four_decimals(theory[0.9])}
    yield judge("004-trade-off", falls and float(low) < float(high), low=low, high=high, **errors)
    yield judge("004-data", Verdict.NOT_PUBLIC, n=f"{USUAL.respondents:,}", repetitions=repetitions)
    over_k = [
        four_decimals(
            float(expected_w_by_itemset(setting_with("randomised", "k", k).survey, DOCUMENTS).mean())
        )
        for k in (0, 1)
    ]
    yield judge("004-two-k", in_part_if(over_k[0] < over_k[1]), zero=over_k[0], one=over_k[1])
    (line,) = (line for line in numbers.counts("p") if varied_value(line) == 0.3)
    rules = float(line["rules_in_d"])
    yield judge("004-rules", in_part_if(rules > 0), rules=f"{rules:.0f}")


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
            "The document's inversion is pooled: it takes both groups for alike. The product's own is "
            "stratified and stays true where they differ."
        ),
        "bias",
    )
