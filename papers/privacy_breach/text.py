"""privacy-breach.md: the paper's table and what was computed beyond it."""

from collections.abc import Iterable
from fractions import Fraction

from papers.privacy_breach.breaches import NOISE, RECEIVED, Extremes, Posteriors
from papers.privacy_breach.constructed import RESPONDENTS, SHOWN, Constructed, MeanErrors
from papers.privacy_breach.settings import LAWS, R3, VALUES
from papers.tables import markdown
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.inverse import modes

CLAIMED = (Fraction(1, 7), Fraction(1, 2))


def text(
    table: Iterable[Posteriors],
    extremes: Iterable[Extremes],
    known: Iterable[Extremes],
    ages: tuple[int, int],
    constructed: Iterable[Constructed],
    errors: Iterable[MeanErrors],
) -> str:
    parts = [
        INTRODUCTION,
        markdown(
            ["property", "before", *(f"after, {law}" for law in LAWS)],
            [[row.name, percent(row.before), *(percent(row.after[law]) for law in LAWS)] for row in table],
        ),
        EXTREMES,
        markdown(["law", *BOUNDED], [[row.law, row.name, *_bounds(row)] for row in extremes]),
        "![The largest posterior of X = 0 over its prior](posterior.svg)\n",
        AGES.format(received=RECEIVED, noise=NOISE, least=ages[0], most=ages[1]),
        _claim(),
        markdown(["known", *BOUNDED[1:]], [[row.name, *_bounds(row)] for row in known]),
        CONSTRUCTED.format(shown=SHOWN, respondents=f"{RESPONDENTS:,}"),
        markdown(
            ["condition", "gamma below", "h", "u", "gamma", "modes seen", "error"],
            [_constructed(row) for row in constructed],
        ),
        MEANS.format(respondents=f"{RESPONDENTS:,}"),
        markdown(
            ["gamma", "R3", "thresholds"],
            [[row.gamma, f"{row.window:.2f}", f"{row.thresholds:.4f}"] for row in errors],
        ),
    ]
    return "\n".join(parts)


def percent(share: Fraction | float) -> str:
    return f"{float(100 * share):.1f} %"


def _bounds(row: Extremes) -> list[str]:
    allowed = "everything" if row.bound is None else percent(row.bound)
    return [percent(row.before), percent(row.least), percent(row.most), allowed]


def _claim() -> str:
    limit = GammaLimit.never_reaches(*CLAIMED)
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
CLAIM = """## R3 by its amplification

The gamma of R3 is {gamma}. A rise from 1/7 to 1/2, or a fall back, needs a gamma of at least {limit}: so R3 has
{verdict} such breach, for any property and any prior. Whoever knows something about X beforehand has another
prior, and gamma bounds it as well; of the property X in [900, 1000] or [0, 100]:
"""
CONSTRUCTED = """## A law for stated conditions

The paper leaves open how to construct a law for given conditions. Of all R3 that admit no breach from rho1 to rho2, and
that show at least the {shown} modes of the paper's R3, this one has the least error: the mean standard error of a share
blurred to {shown} modes, in percent of the mean share, among {respondents} respondents who are spread evenly.
"""
MEANS = """## The mean: R3 beside thresholds at the same gamma

The standard error of the mean among {respondents} respondents, as a share of the range: the least of any R3, where all
numbers are equally likely, and the most of thresholds that are equally far apart (docs/mathematics.md, Numbers). R3
shows a shape; it cannot show a mean.
"""
