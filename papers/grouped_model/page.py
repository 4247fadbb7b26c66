"""The page of document 004."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from papers.grouped_model.bias import DIFFERENCES, MeanAndBand
from papers.grouped_model.figures import DOCUMENTS, OVER_P, figures
from papers.grouped_model.original import Posterior, improved_law, proven_share
from papers.grouped_model.rows import SettingRow
from papers.grouped_model.settings import VALUES, PaperSetting, Varied
from papers.page import Claim, Page, Table, judged
from papers.tables import decimal, percent

FIGURE_1 = {0.1: 0.0127, 0.3: 0.0076, 0.5: 0.0050, 0.7: 0.0032, 0.9: 0.0016}
"""W by p, all itemsets, at k = .2, where k is the share who answer openly: recomputed independently by theory."""


def page(
    posteriors: Sequence[Posterior],
    rows: Sequence[SettingRow],
    bias: Mapping[str, Sequence[MeanAndBand]],
    repetitions: int,
) -> Page:
    usual = PaperSetting("open")
    return Page(
        _("004 Grouped unrelated questions"),
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
        claims(posteriors, rows),
        figures(rows, bias),
        [_leak(posteriors), *(_sweep(varied, rows) for varied in VALUES), _bias(bias)],
    )


def claims(posteriors: Sequence[Posterior], rows: Sequence[SettingRow]) -> list[Claim]:
    proven = [row for row in posteriors if row.proves]
    improved = [row.improved for row in proven]
    gamma = improved_law().gamma
    by_p = {
        row.value: row.of_size(0)
        for row in rows
        if (row.varied, row.setting.reading) == OVER_P and row.estimator == DOCUMENTS
    }
    shown = [by_p[p] for p in FIGURE_1 if p in by_p]
    theory = [error.theory or 0.0 for error in shown]
    return [
        judged(
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
        ),
        judged(
            _(
                "Figure 1: W falls as p rises (curve; recomputed independently at p .1, .3, .5, .7, .9: "
                "%(figures)s)."
            )
            % {"figures": " / ".join(map(decimal, FIGURE_1.values()))},
            _("Theory %(theory)s; simulated %(simulated)s.")
            % {
                "theory": " / ".join(map(decimal, theory)),
                "simulated": " / ".join(decimal(error.w.value) for error in shown),
            },
            list(map(decimal, theory)) == list(map(decimal, list(FIGURE_1.values())[: len(theory)])),
        ),
    ]


def _leak(posteriors: Sequence[Posterior]) -> Table:
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


def _sweep(varied: Varied, rows: Sequence[SettingRow]) -> Table:
    names = {
        "k": _("the share k"),
        "p": _("the keep probability p"),
        "theta": _("the chance theta of a random yes"),
        "questions": _("the number of questions"),
        "respondents": _("the number of respondents"),
        "min_support": _("the smallest support"),
        "min_confidence": _("the smallest confidence"),
    }
    mine = [
        row
        for row in rows
        if row.varied == varied and row.setting.reading == "open" and row.estimator == DOCUMENTS
    ]
    counted = [
        ("itemsets", "in_d", _("itemsets in D")),
        ("itemsets", "false_positives", _("false itemsets")),
        ("itemsets", "misses", _("missed itemsets")),
        ("rules", "in_d", _("rules in D")),
        ("rules", "false_positives", _("false rules")),
        ("rules", "misses", _("missed rules")),
    ]
    return Table(
        _("Over %(name)s") % {"name": names[varied]},
        [varied, *(name for _kind, _count, name in counted), "W", _("W by theory")],
        [
            [
                f"{row.value:g}",
                *(
                    f"{mean.value:.2f}" if (mean := row.counts[kind][count]) else ""
                    for kind, count, _n in counted
                ),
                f"{row.of_size(0).w.value:.5f}",
                f"{row.of_size(0).theory or 0:.5f}",
            ]
            for row in mine
        ],
        file="mined",
    )


def _bias(of_estimators: Mapping[str, Sequence[MeanAndBand]]) -> Table:
    return Table(
        _("Where open answerers differ: the estimated support, 25 % in truth"),
        [_("share among the disguised less share among the open"), *of_estimators],
        [
            [f"{difference:g}", *(decimal(spread.mean) for spread in spreads)]
            for difference, *spreads in zip(DIFFERENCES, *of_estimators.values(), strict=True)
        ],
        _(
            "The document's inversion is pooled: it takes both groups for alike. The product's own is stratified "
            "and stays true where they differ."
        ),
        "bias",
    )
