"""The page of document 000."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from papers.drawing import Curve, Figure, Point
from papers.page import Claim, Page, Table, Verdict, judged
from papers.privacy_breach.breaches import (
    DEVIATION,
    NOISE,
    OLD,
    PRINTED,
    AgeBreach,
    Extremes,
    Posteriors,
    Reconstruction,
)
from papers.privacy_breach.constructed import SHOWN, Constructed
from papers.privacy_breach.settings import LAWS, R3, RESPONDENTS, VALUES
from papers.privacy_breach.worst_properties import HIGH, LOW, WorstProperties
from papers.tables import decimal, percent
from privacy.guarantee.amplification import GammaLimit, worst_posterior
from privacy.kinds.number.window.circular_law import CircularLaw
from privacy.kinds.number.window.inverse import modes

PRIORS = [Fraction(step, 100) for step in range(101)]


@dataclass(frozen=True)
class Results:
    table: Sequence[Posteriors]
    extremes: Sequence[Extremes]
    background: Sequence[Extremes]
    breaches: Sequence[WorstProperties]
    ages: Sequence[AgeBreach]
    constructed: Sequence[Constructed]
    reconstruction: Reconstruction


def page(results: Results) -> Page:
    return Page(
        _("000 Privacy breaches"),
        ("000", "evfimievski-2003", "agrawal-2001"),
        [
            _(
                "A number X from 0 to 1,000 is 0 with probability 1 %, and any other number with .099 % each. R1 "
                "keeps X with probability 20 %, else sends any other number. R2 sends X plus a uniform number from "
                "-100 to 100, modulo 1,001. R3 does as R2 with probability 50 %, else sends any number."
            )
        ],
        claims(results),
        [posterior_figure(), reconstruction_figure(results.reconstruction)],
        list(tables(results)),
    )


def claims(results: Results) -> list[Claim]:
    limit = GammaLimit.never_reaches(LOW, HIGH)
    background = all(row.bound is not None and row.most <= row.bound for row in results.background)
    breached = any(row.positive or row.negative for row in results.breaches if row.law == "R3")
    printed = [
        judged(
            _("Table 1, %(property)s given that 0 is received: %(figures)s (R1, R2, R3).")
            % {
                "property": row.name,
                "figures": " / ".join(f"{value:g}" for value in PRINTED[row.name].values()),
            },
            _("%(figures)s, from %(before)s before.")
            % {"figures": _percents(row, PRINTED[row.name]), "before": percent(float(row.before))},
            all(round(100 * float(row.after[law]), 4) == value for law, value in PRINTED[row.name].items()),
        )
        for row in results.table
    ]
    return [
        *printed,
        judged(
            _("R3 has no breach from 1/7 to 1/2, nor back, by its gamma."),
            _("Its gamma is %(gamma)s; either needs %(limit)s. No property of any record breaches it.")
            % {"gamma": R3.gamma, "limit": limit.gamma},
            limit.admits(R3.gamma) and not breached,
        ),
        judged(
            _("Gamma also bounds what is learned by somebody who knows something of X."),
            _("No record passes the bound under the four kinds of knowledge below."),
            background,
        ),
        judged(
            _("Noise that is only added can prove an age."),
            _("Received %(received)s: %(old)s or older rises from %(before)s to %(after)s.")
            % {
                "received": results.ages[0].received,
                "old": OLD,
                "before": percent(results.ages[0].before),
                "after": percent(results.ages[0].after),
            },
            results.ages[0].after == 1,
        ),
        Claim(
            _("How R(x) is constructed for stated conditions."),
            _("The law with the least error for each of three conditions, below."),
            Verdict.UNAVAILABLE,
            _("The document leaves it open."),
        ),
    ]


def _percents(row: Posteriors, printed: dict[str, float]) -> str:
    return " / ".join(f"{100 * float(row.after[law]):.4f}" for law in printed)


def tables(results: Results) -> list[Table]:
    after = [_("after, %(law)s") % {"law": law} for law in LAWS]
    bounded = [_("before"), _("least after"), _("most after"), _("most allowed by gamma")]
    return [
        Table(
            _("Table 1: given that 0 is received"),
            [_("property"), _("before"), *after],
            [
                [row.name, percent(float(row.before)), *(percent(float(row.after[law]), 4) for law in LAWS)]
                for row in results.table
            ],
            _("The printed figures are met only if outside means outside the closed interval [200, 800]."),
        ),
        Table(
            _("The least and the most that any record says"),
            [_("law"), _("property"), *bounded],
            [[row.law, row.name, *_bounds(row)] for row in results.extremes],
            _("A record of R2 proves things and rules them out: no gamma bounds it. The gamma of R1 is 250."),
            "posteriors",
        ),
        Table(
            _("Positive and negative breaches, from 1/7 to 1/2 and back"),
            [
                _("law"),
                _("known"),
                _("before"),
                _("risen to"),
                _("breach"),
                _("before"),
                _("fallen to"),
                _("breach"),
            ],
            [
                [
                    row.law,
                    _known(row.known),
                    percent(float(row.raised_from)),
                    percent(float(row.raised_to)),
                    _yes(row.positive),
                    percent(float(row.lowered_from)),
                    percent(float(row.lowered_to)),
                    _yes(row.negative),
                ]
                for row in results.breaches
            ],
            _(
                "Of all properties and records, what rises most from at most 1/7, and what falls most from 1/2 or "
                "more."
            ),
            "breaches",
        ),
        Table(
            _("R3, X ∈ [900, 1000] ∪ [0, 100], to somebody who knows something"),
            [_("known"), *bounded],
            [[_known(row.name), *_bounds(row)] for row in results.background],
        ),
        Table(
            _("Ages 0 to 100 with noise that is not wrapped round: %(old)s or older") % {"old": OLD},
            [_("noise"), _("received"), _("before"), _("after")],
            [
                [_noise(row.noise), row.received, percent(row.before), percent(row.after, 2)]
                for row in results.ages
            ],
            _(
                "Evenly spread before. Normal noise has no finite gamma: the larger the number received, the surer "
                "the age, without bound."
            ),
            "ages",
        ),
        Table(
            _("A law for stated conditions"),
            [_("condition"), _("gamma below"), "h", "u", _("gamma"), _("modes shown"), _("error")],
            [
                [
                    f"{row.rho1} → {row.rho2}",
                    row.limit,
                    row.law.half,
                    decimal(float(row.law.windowed)),
                    decimal(float(row.law.gamma)),
                    modes(row.law),
                    percent(row.error),
                ]
                for row in results.constructed
            ],
            _(
                "Of all R3 without a breach that show at least the %(modes)s modes of the document's R3, the one "
                "with the least error: the mean standard error of a blurred share among %(n)s evenly spread "
                "respondents, in percent of the mean share."
            )
            % {"modes": SHOWN, "n": f"{RESPONDENTS:,}"},
        ),
        Table(
            _("Reconstruction by expectation maximisation, R3, %(n)s respondents")
            % {"n": f"{RESPONDENTS:,}"},
            [_("share"), _("distance from the true shares")],
            [
                [_("as received"), decimal(results.reconstruction.distance(results.reconstruction.received))],
                [
                    _("reconstructed"),
                    decimal(results.reconstruction.distance(results.reconstruction.reconstructed)),
                ],
            ],
            _(
                "Total variation. The function is that of reports; it stops where each half of the records fits the "
                "other best, after %(steps)s steps."
            )
            % {"steps": results.reconstruction.steps},
            "reconstruction",
        ),
    ]


def _yes(breach: bool) -> str:
    return _("yes") if breach else _("no")


def _known(name: str) -> str:
    return _("nothing") if name == "nothing" else name


def _noise(name: str) -> str:
    if name == "uniform":
        return _("uniform, ±%(noise)s") % {"noise": NOISE}
    return _("normal, standard deviation %(deviation)s") % {"deviation": DEVIATION}


def _bounds(row: Extremes) -> list[str]:
    allowed = _("everything") if row.bound is None else percent(row.bound)
    return [percent(row.before), percent(row.least), percent(row.most), allowed]


def posterior_figure() -> Figure:
    curves = [Curve(name, (), (), (), _line(law)) for name, law in LAWS.items()]
    bound = [(float(prior), float(worst_posterior(R3.gamma, prior))) for prior in PRIORS]
    return Figure(
        _("What the record 0 says about X = 0"),
        _("P(X = 0) before"),
        _("P(X = 0) after"),
        (),
        [*curves, Curve(_("most by R3's gamma"), (), (), (), bound)],
        note=_("all other numbers are equally likely"),
    )


def _line(law: CircularLaw) -> list[Point]:
    """P(X=0 | R=0) = z f(0) / ( z f(0) + (1-z) (1-f(0)) / (V-1) )."""
    kept = law.weights[0]
    others = (1 - kept) / (law.values - 1)
    return [(float(z), float(z * kept / (z * kept + (1 - z) * others))) for z in PRIORS]


def reconstruction_figure(reconstruction: Reconstruction) -> Figure:
    """In twenties, since single numbers are noise."""
    named = {
        _("true"): reconstruction.true,
        _("received"): reconstruction.received,
        _("reconstructed"): reconstruction.reconstructed,
    }
    at = range(0, VALUES - 20, 20)
    curves = [
        Curve(name, (), (), (), [(x + 10.0, float(shares[x : x + 20].sum())) for x in at])
        for name, shares in named.items()
    ]
    return Figure(
        _("The distribution of X from records of R3"),
        "X",
        _("share, by twenties"),
        (),
        curves,
        note=_("reconstructed by expectation maximisation"),
    )
