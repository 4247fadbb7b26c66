"""privacy-breach.md: the paper's table and what was computed beyond it."""

from dataclasses import astuple
from fractions import Fraction

from papers.privacy_breach.beside_classes import SURVEYS
from papers.privacy_breach.breaches import NOISE, RECEIVED, Extremes
from papers.privacy_breach.constructed import RESPONDENTS, SHOWN, Constructed
from papers.privacy_breach.results import Results
from papers.privacy_breach.settings import LAWS, R3, VALUES
from papers.privacy_breach.worst_properties import HIGH, LOW, WorstProperties
from papers.tables import markdown
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.inverse import modes


def text(found: Results) -> str:
    parts = [
        INTRODUCTION,
        markdown(
            ["property", "before", *(f"after, {law}" for law in LAWS)],
            [
                [row.name, percent(row.before), *(percent(row.after[law]) for law in LAWS)]
                for row in found.table
            ],
        ),
        EXTREMES,
        markdown(["law", *BOUNDED], [[row.law, row.name, *_bounds(row)] for row in found.extremes]),
        "![The largest posterior of X = 0 over its prior](posterior.svg)\n",
        AGES.format(received=RECEIVED, noise=NOISE, least=found.ages[0], most=found.ages[1]),
        BREACHES.format(low=LOW, high=HIGH),
        markdown(
            ["law", "known", "rises", "positive breach", "falls", "negative breach"],
            [_breach(row) for row in found.breaches],
        ),
        _claim(),
        markdown(["known", *BOUNDED[1:]], [[row.name, *_bounds(row)] for row in found.background]),
        CONSTRUCTED.format(shown=SHOWN, respondents=f"{RESPONDENTS:,}"),
        markdown(
            ["condition", "gamma below", "h", "u", "gamma", "modes seen", "error"],
            [_constructed(row) for row in found.constructed],
        ),
        MEANS.format(respondents=f"{RESPONDENTS:,}"),
        markdown(
            ["gamma", "R3", "classes"],
            [[row.gamma, f"{row.window:.2f}", f"{row.classes:.4f}"] for row in found.mean_errors],
        ),
        BESIDE.format(gamma=R3.gamma, respondents=f"{RESPONDENTS:,}", surveys=f"{SURVEYS:,}"),
        markdown(
            ["standard error of", "R3", "R3, simulated", "classes", "classes, simulated"],
            [[row.statistic, *map(_error, astuple(row)[1:])] for row in found.beside],
        ),
    ]
    return "\n".join(parts)


def _error(error: float) -> str:
    return f"{error:.4f}"


def _breach(row: WorstProperties) -> list[str]:
    rises, falls = (
        f"from {percent(before)} to {percent(after)}"
        for before, after in ((row.raised_from, row.raised_to), (row.lowered_from, row.lowered_to))
    )
    verdicts = ["yes" if breach else "no" for breach in (row.positive, row.negative)]
    return [row.law, row.known, rises, verdicts[0], falls, verdicts[1]]


def percent(share: Fraction | float) -> str:
    return f"{float(100 * share):.1f} %"


def _bounds(row: Extremes) -> list[str]:
    allowed = "everything" if row.bound is None else percent(row.bound)
    return [percent(row.before), percent(row.least), percent(row.most), allowed]


def _claim() -> str:
    limit = GammaLimit.never_reaches(LOW, HIGH)
    verdict = "no" if limit.admits(R3.gamma) else "a"
    return CLAIM.format(gamma=R3.gamma, limit=limit.gamma, verdict=verdict)


def _constructed(row: Constructed) -> list[object]:
    return [
        f"{row.rho1} to {row.rho2}",
        row.limit,
        row.law.half,
        f"{float(row.law.windowed):.4f}",
        f"{float(row.law.gamma):.4f}",
        modes(row.law),
        percent(row.error),
    ]


BOUNDED = ["property", "before", "least after", "most after", "most allowed by gamma"]

INTRODUCTION = f"""# Privacy breaches

Evfimievski, Gehrke and Srikant, *Limiting privacy breaches in privacy preserving data mining* (PODS 2003). A number X
from 0 to {VALUES - 1:,} is 0 with probability 1 %, and any other number with .099 % each. Three laws make a record R of
it:

* R1 keeps X with probability 20 %, else sends any other number;
* R2 sends X plus a uniform number from -100 to 100, modulo {VALUES:,};
* R3 does as R2 with probability 50 %, else sends any number.

## The paper's table: given R = 0

The paper's 40.5 % and 70.8 % are met only if "outside" means outside the closed interval [200, 800].
"""
EXTREMES = """## The least and the most that any record says

A record of R2 proves things and rules them out: no gamma bounds it. R1 raises what is rare; its gamma is 250.
"""
AGES = """## Noise that is bounded, without a circle

A person's age is sent plus a whole number from -{noise} to {noise}, not wrapped round. If {received} is received, the
age is between {least} and {most}, with certainty: whoever is old is found out, whatever the prior. Adding noise is no
protection by itself.
"""
BREACHES = """## Positive and negative breaches

A positive breach from {low} to {high}: a property of X that was at most {low} likely is, after some record, at least
{high} likely. A negative breach: one that was at least {high} likely is then at most {low} likely. Of all properties
(sets of numbers) and all records, exactly, the one that rises most from at most {low}, and the one that falls most from
at least {high}:
"""
CLAIM = """## R3 by its amplification

The gamma of R3 is {gamma}. A rise from 1/7 to 1/2, or a fall back, needs a gamma of at least {limit}: so R3 has
{verdict} such breach, for any property and any prior. Whoever knows something about X beforehand has another
prior, and gamma bounds it as well; of the property X in [900, 1000] or [0, 100]:
"""
CONSTRUCTED = """## A law for stated conditions

The paper leaves open how to construct a law for given conditions. Of all R3 that admit no breach from rho1 to rho2, and
that show at least the {shown} modes of the paper's R3, this one has the least error: the mean standard error of a share
blurred to the modes seen, in percent of the mean share, among {respondents} respondents who are spread evenly.
"""
MEANS = """## The mean: R3 beside classes at the same gamma

The standard error of the mean among {respondents} respondents, as a share of the range, where all numbers are equally
likely: the least of any R3, and that of the law `classes` (docs/mathematics.md, Numbers by classes). R3 shows a shape;
it cannot show a mean.
"""
BESIDE = """## Shape, mean and a share: R3 beside classes

The paper's R3 and classes of at most its gamma, {gamma}, among {respondents} respondents, all numbers equally
likely; by formula, and the spread of {surveys} simulated surveys. R3's mean and share are those of its inverse without
blur, which no report states. The law `classes` shows the shape as the shares of at most 21 classes; the error is
that of the least certain one.
"""
