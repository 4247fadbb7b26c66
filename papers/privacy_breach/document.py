"""Builds the page of document 000, privacy breaches: claims, posteriors of records, new laws."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from papers.csv_and_example_tables import csv_from_rows, csv_text, four_decimals, percent
from papers.document_structure import (
    Attribute,
    Document,
    Judgement,
    OwnData,
    Reproduction,
    ReproductionOptions,
    Section,
    Slider,
    Table,
    Verdict,
    in_part_if,
    judge,
)
from papers.privacy_breach import breaches
from papers.privacy_breach.breaches import LAWS, PRINTED, R3, RESPONDENTS, VALUES, Posteriors, Reconstruction
from papers.svg_figures import Curve, Figure, Point
from privacy.guarantee.amplification import GammaLimit, worst_posterior
from privacy.kinds.number.window.circular_law import CircularLaw
from privacy.kinds.number.window.law import WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import count_shown_modes

PRIORS = [Fraction(step, 100) for step in range(101)]


@dataclass(frozen=True)
class Results:
    table: Sequence[Posteriors]
    extremes: Sequence[breaches.Extremes]
    background: Sequence[breaches.Extremes]
    worst: Sequence[breaches.WorstProperties]
    ages: Sequence[breaches.AgeBreach]
    constructed: Sequence[breaches.ConstructedLaw]
    reconstruction: Reconstruction
    theorem: breaches.TheoremCheck


def reproduce(_options: ReproductionOptions) -> Reproduction:
    results = Results(
        breaches.table_1_posteriors(),
        breaches.extremes_by_law(),
        breaches.extremes_by_known_fact(),
        list(breaches.worst_properties()),
        breaches.age_breaches(),
        list(breaches.construct_laws()),
        breaches.simulate_and_reconstruct_shares(),
        breaches.check_theorem(),
    )
    numbers = results.reconstruction
    columns = (numbers.true.tolist(), numbers.received.tolist(), numbers.reconstructed.tolist())
    shares = ([x, *row] for x, row in enumerate(zip(*columns, strict=True)))
    tables = {
        "posteriors": csv_from_rows([*results.extremes, *results.background]),
        "breaches": csv_from_rows(results.worst),
        "ages": csv_from_rows(results.ages),
        "reconstruction": csv_text(["number", "true", "received", "reconstructed"], shares),
    }
    return Reproduction(lambda: document(results), tables)


def document(results: Results) -> Document:
    return Document(
        "privacy-breach",
        "Li, Yin, Li, Meng, Zhang",
        "",
        ("000", "evfimievski-2003", "agrawal-2001"),
        [
            _(
                "A number X from 0 to 1,000 is 0 with probability 1 %, and any other number with .099 % "
                "each. R1 keeps X with probability 20 %, else sends any other number. R2 sends X plus a "
                "uniform number from -100 to 100, modulo 1,001. R3 does as R2 with probability 50 %, else "
                "sends any number."
            ),
        ],
        [*judgements_of_table_1(results), *judgements_of_laws(results), *judgements_of_gamma(results)],
        list(sections(results)),
        [
            OwnData(
                _("Gamma and the worst posterior of a design of yours:"),
                "candor audit DESIGN.json --prior .05 --rho1 .05 --rho2 .5",
            ),
            OwnData(
                _("Table 1 of any matrix, prior and properties:"),
                "candor breaches MATRIX.csv --property NAME=VALUE,VALUE",
            ),
            OwnData(
                _("The distribution of a number by expectation maximisation:"),
                "candor estimate DESIGN.json RECORDS.csv --question income",
            ),
        ],
    )


def judgements_of_table_1(results: Results) -> Iterator[Judgement]:
    zero, outside = results.table
    names = ("before", *(law.lower() for law in LAWS))
    columns = dict(zip(names, zip(*map(table_1_cells, results.table), strict=True), strict=True))
    printed = dict(zip(names, zip(*PRINTED.values(), strict=True), strict=True))
    met = {name: column == printed[name] for name, column in columns.items()}
    weights = breaches.prior_weights()
    r1, r2 = LAWS["R1"].probability, LAWS["R2"].probability
    by_words = {
        name: _percents(*breaches.posteriors_of_another_number(than_sent=name == "sent"))
        for name in ("sent", "true")
    }
    yield judge("000-prior", sum(weights) == 1)
    yield judge("000-r1", met["r1"], same=r1(0, 0), other=r1(1, 0))
    yield judge("000-r2", met["r2"], near=r2(901, 0), far=r2(900, 0))
    any_number = _percents(zero.after["R3"], outside.after["R3"])
    yield judge("000-r3", in_part_if(met["r3"]), any=any_number, **by_words)
    yield judge("000-table-1", all(met.values()))
    wider = outside.before + 2 * weights[1]
    ranges = {"closed": _percents(outside.before), "open": _percents(wider)}
    yield judge("000-table-1-range", in_part_if(met["before"]), **ranges)
    for name, column in columns.items():
        yield judge(f"000-table-1-{name}", met[name], cells=", ".join(f"{cell} %" for cell in column))
    of_zero = {"before": _percents(zero.before), "after": _percents(zero.after["R1"])}
    yield judge("000-of-a-property", met["r1"], **of_zero)
    yield judge("000-r1-breach", zero.after["R1"] >= Fraction(7, 10), **of_zero)
    rises = {"before": _percents(outside.before), "after": _percents(outside.after["R2"])}
    yield judge("000-r2-breach", in_part_if(outside.after["R2"] == 1), **rises)
    falls = {"before": _percents(1 - outside.before), "after": _percents(1 - outside.after["R2"])}
    yield judge("000-r2-rules-out", in_part_if(outside.after["R2"] == 1), **falls)


def _percents(*shares: Fraction | float) -> str:
    return ", ".join(percent(float(share), 2) for share in shares)


def judgements_of_laws(results: Results) -> Iterator[Judgement]:
    age, normal = results.ages[0], results.ages[-1]
    of = results.reconstruction
    received, reconstructed = of.distance(of.received), of.distance(of.reconstructed)
    worst = {(row.law, row.known): row for row in results.worst}
    r1, r2, r3 = (worst[law, breaches.NOTHING.name] for law in LAWS)
    yield judge(
        "000-noise",
        normal.after > 0.99,
        received=normal.received,
        old=breaches.OLD,
        after=_percents(normal.after),
    )
    yield judge(
        "000-reconstruction",
        reconstructed < received,
        received=four_decimals(received),
        reconstructed=four_decimals(reconstructed),
        steps=of.steps,
    )
    sent = (sum(law.probability(0, y) for y in range(VALUES)) for law in LAWS.values())
    yield judge("000-finite", in_part_if(all(total == 1 for total in sent)), values=f"{VALUES:,}")
    yield judge("000-ages", age.after == 1, after=_percents(age.after))
    yield judge("000-others", in_part_if(breaches.is_other_record_silent()))
    chances = {name: breaches.chance_of_zero(law) for name, law in LAWS.items()}
    means = {
        name: sum(weight * law.probability(x, 0) for x, weight in enumerate(breaches.prior_weights()))
        for name, law in LAWS.items()
    }
    agree = chances == means
    yield judge("000-law-of-y", agree, **{name: f"{float(chance):.6f}" for name, chance in chances.items()})
    yield judge("000-joint", in_part_if(agree))
    sums = (sum(law.posterior(breaches.prior_weights(), 0)) for law in LAWS.values())
    yield judge("000-bayes", in_part_if(all(total == 1 for total in sums)))
    positive = [row.is_positive_breach for row in (r1, r2, r3)]
    yield judge("000-definition-1", positive == [True, True, False])
    share_of_old = {"before": _percents(age.before), "after": _percents(age.after)}
    yield judge("000-ages-breach", in_part_if(age.after == 1), **share_of_old)
    raised_to = {law.lower(): _percents(worst[law, breaches.NOTHING.name].raised_to) for law in LAWS}
    yield judge("000-only-r3", positive == [True, True, False], **raised_to)
    facts = [row for row in results.worst if row.known != breaches.NOTHING.name]
    no_breach = not any(row.is_positive_breach or row.is_negative_breach for row in facts)
    yield judge("000-background-breach", no_breach, facts=len(facts))
    negative = [row.is_negative_breach for row in (r1, r2, r3)]
    yield judge("000-definition-2", (positive, negative) == ([True, True, False], [False, True, False]))
    yield judge("000-too-many", in_part_if(len(results.worst) >= len(LAWS)))
    bound = worst_posterior(R3.gamma, breaches.LOW)
    raised = {"raised": _percents(r3.raised_to), "bound": _percents(bound)}
    yield judge("000-unknown-prior", r3.raised_to < bound < breaches.HIGH, **raised)


def judgements_of_gamma(results: Results) -> Iterator[Judgement]:
    limit = GammaLimit.never_reaches(breaches.LOW, breaches.HIGH)
    checked = results.theorem
    cases = f"{checked.cases:,}"
    yield judge("000-a", LAWS["R2"].gamma is None, r1=LAWS["R1"].gamma, r3=R3.gamma)
    yield judge("000-b", limit.gamma == 6, limit=limit.gamma)
    yield judge("000-theorem", not checked.theorem, count=checked.theorem, cases=cases)
    swapped = {"least": checked.lower, "most": f"{checked.lower_as_printed:,}", "cases": cases}
    yield judge("000-proof-x2", in_part_if(not checked.lower), **swapped)
    yield judge("000-proof-upper", not checked.upper, count=checked.upper, cases=cases)
    yield judge("000-proof-lower", in_part_if(not checked.lower), count=checked.lower, cases=cases)
    yield judge("000-proof-ratio", in_part_if(not checked.ratio), count=checked.ratio, cases=cases)
    yield judge("000-proof-gamma", not checked.odds, count=checked.odds, cases=cases)
    before, after = ((1 - of) / of for of in (breaches.LOW, breaches.HIGH))
    yield judge(
        "000-proof-odds", before / after == limit.gamma, before=before, after=after, gamma=limit.gamma
    )
    least = {name.lower(): min(law.probability(x, 0) for x in range(VALUES)) for name, law in LAWS.items()}
    yield judge("000-proof-positive", least["r1"] > least["r2"] == 0 < least["r3"], **least)
    both_ways = (
        {GammaLimit.never_reaches(low, high).gamma, GammaLimit.never_reaches(1 - high, 1 - low).gamma}
        for low, high in breaches.CONDITIONS
    )
    yield judge("000-proof-back", all(len(gammas) == 1 for gammas in both_ways))
    near, far = (R3.law.probability(x, 0) for x in (0, 500))
    halves = (Fraction(1, 201) + Fraction(1, VALUES)) / 2, Fraction(1, 2 * VALUES)
    yield judge("000-r3-law", (near, far) == halves, near=near, far=far)
    is_gamma = R3.gamma == 1 + Fraction(1001, 201) < 6
    yield judge("000-r3-gamma", is_gamma, gamma=R3.gamma, decimal=f"{float(R3.gamma):.4f}")
    breached = any(
        row.is_positive_breach or row.is_negative_breach for row in results.worst if row.law == "R3"
    )
    safe = limit.admits(R3.gamma) and not breached
    yield judge("000-r3-safe", safe, gamma=R3.gamma, limit=limit.gamma)
    yield judge(
        "000-background", all(row.bound is not None and row.most <= row.bound for row in results.background)
    )
    yield judge("000-construction", Verdict.BEYOND, count=len(results.constructed))


def table_1_cells(row: Posteriors) -> list[str]:
    """Returns our numbers for a row of table 1, in percent, with as many digits as printed."""
    shares = [row.before, *(row.after[law] for law in LAWS)]
    return [
        f"{100 * float(share):.{len(printed.partition('.')[2])}f}"
        for share, printed in zip(shares, PRINTED[row.name], strict=True)
    ]


def sections(results: Results) -> list[Section]:
    bounded: list[tuple[str, Attribute]] = [
        (_("before"), "before:.1%"),
        (_("least after"), "least:.1%"),
        (_("most after"), "most:.1%"),
        (
            _("most allowed by gamma"),
            lambda row: _("everything") if row.bound is None else percent(row.bound),
        ),
    ]
    return [
        Section(
            _("What the record 0 says"),
            figures=[posterior_figure()],
            sliders=[prior_slider(), window_probability_slider()],
        ),
        Section(
            _("What any record says"),
            tables=[
                Table(
                    _("The least and the most that any record says"),
                    [(_("law"), "law"), (_("property"), "name"), *bounded],
                    results.extremes,
                    _(
                        "A record of R2 proves things and rules them out: no gamma bounds it. The gamma of "
                        "R1 is 250."
                    ),
                    "posteriors",
                ),
                _breach_table(results.worst),
                Table(
                    _("R3, X ∈ [900, 1000] ∪ [0, 100], to somebody who knows something"),
                    [(_("known"), lambda row: _fact_text(row.name)), *bounded],
                    results.background,
                ),
                Table(
                    _("Ages 0 to 100 with noise that is not wrapped round: %(old)s or older")
                    % {"old": breaches.OLD},
                    [
                        (_("noise"), lambda row: _noise_text(row.noise)),
                        (_("received"), "received"),
                        (_("before"), "before:.1%"),
                        (_("after"), "after:.2%"),
                    ],
                    results.ages,
                    _(
                        "Evenly spread before. Normal noise has no finite gamma: the larger the number "
                        "received, the surer the age, without bound."
                    ),
                    "ages",
                ),
            ],
        ),
        Section(_("A law for stated conditions"), tables=[_constructed_table(results.constructed)]),
        Section(
            _("Reconstruction"),
            figures=[reconstruction_figure(results.reconstruction)],
        ),
    ]


def _breach_table(rows: Sequence[breaches.WorstProperties]) -> Table:
    return Table(
        _("Positive and negative breaches, from 1/7 to 1/2 and back"),
        [
            (_("law"), "law"),
            (_("known"), lambda row: _fact_text(row.known)),
            (_("before"), "raised_from:.1%"),
            (_("risen to"), "raised_to:.1%"),
            (_("breach"), "is_positive_breach"),
            (_("before"), "lowered_from:.1%"),
            (_("fallen to"), "lowered_to:.1%"),
            (_("breach"), "is_negative_breach"),
        ],
        rows,
        _(
            "Of all properties and records, what rises most from at most 1/7, and what falls most from 1/2 "
            "or more."
        ),
        "breaches",
    )


def _constructed_table(rows: Sequence[breaches.ConstructedLaw]) -> Table:
    return Table(
        _("A law for stated conditions"),
        [
            (_("condition"), lambda row: f"{row.rho1} → {row.rho2}"),
            (_("gamma below"), "limit"),
            ("h", "law.half"),
            ("u", "law.windowed:.4f"),
            (_("gamma"), "law.gamma:.4f"),
            (_("modes shown"), lambda row: count_shown_modes(row.law)),
            (_("error"), "error:.1%"),
            (_("limits drawn"), "cuts"),
            (_("error of a share"), "share_error:.2%"),
            (_("above the least"), lambda row: "–" if row.above_least is None else percent(row.above_least)),
        ],
        rows,
        _(
            "Of all R3 without a breach that show at least the %(modes)s modes of the document's R3, the "
            "one with the least error: the mean standard error of a blurred share among %(n)s evenly "
            "spread respondents, in percent of the mean share."
        )
        % {"modes": breaches.SHOWN, "n": f"{RESPONDENTS:,}"}
        + " "
        + _(
            "Beside it shares above nine limits by classes, under the same condition: how many limits a "
            "device draws, the mean standard error of a share in points, and by how much it exceeds the "
            "least that any law can have (where that was computed)."
        ),
    )


def _fact_text(name: str) -> str:
    return _("nothing") if name == breaches.NOTHING.name else name


def _noise_text(name: str) -> str:
    if name == "uniform":
        return _("uniform, ±%(noise)s") % {"noise": breaches.NOISE}
    return _("normal, standard deviation %(deviation)s") % {"deviation": breaches.DEVIATION}


def posterior_of_zero(law: CircularLaw, zero: Fraction) -> float:
    """Returns the posterior of 0 after a record 0: P(X=0 | R=0) = z f(0) / (z f(0) + (1-z) (1-f(0)) / (V-1)).

    docs/mathematics.md, Numbers.
    """
    kept = law.weights[0]
    others = (1 - kept) / (law.values - 1)
    return float(zero * kept / (zero * kept + (1 - zero) * others))


def posterior_figure() -> Figure:
    lines: dict[str, list[Point]] = {
        name: [(float(zero), posterior_of_zero(law, zero)) for zero in PRIORS] for name, law in LAWS.items()
    }
    lines[_("most by R3's gamma")] = [
        (float(zero), float(worst_posterior(R3.gamma, zero))) for zero in PRIORS
    ]
    return Figure(
        _("What the record 0 says about X = 0"),
        _("P(X = 0) before"),
        _("P(X = 0) after"),
        (),
        [Curve(name, (), (), (), points) for name, points in lines.items()],
        note=_("all other numbers are equally likely"),
    )


def prior_slider() -> Slider:
    return Slider(
        _("The prior: what the record 0 makes of it"),
        [_("P(X = 0) before"), *LAWS, _("most by R3's gamma")],
        [
            [
                *(float(zero), *(posterior_of_zero(law, zero) for law in LAWS.values())),
                float(worst_posterior(R3.gamma, zero)),
            ]
            for zero in PRIORS[1:-1]
        ],
        _("P(X = 0) after the record 0."),
    )


def window_probability_slider() -> Slider:
    """Returns a slider over the window probability u of the law R3."""
    lines = []
    for parts in range(500, 10_000, 500):
        law = WindowLaw(VALUES, R3.half, parts)
        after = law.law.posterior(breaches.prior_weights(), 0)
        outside = sum(after[:200], start=Fraction(0)) + sum(after[801:])
        lines.append([parts / 10_000, float(law.gamma), float(after[0]), float(outside)])
    return Slider(
        _("The probability u of R3's window"),
        ["u", _("gamma"), "P(X = 0)", "P(X ∉ [200, 800])"],
        lines,
        _("After the record 0; at u = .5 it is the document's R3."),
        9,
        1,
    )


def reconstruction_figure(results: Reconstruction) -> Figure:
    """Plots a reconstructed distribution; shares are summed by twenties, since single ones are noise."""
    named = {
        _("true"): results.true,
        _("received"): results.received,
        _("reconstructed"): results.reconstructed,
    }
    curves = [
        Curve(
            name, (), (), (), [(x + 10.0, float(shares[x : x + 20].sum())) for x in range(0, VALUES - 20, 20)]
        )
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
