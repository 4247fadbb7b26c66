"""Laws of the common techniques of randomised response, by their names in the literature (docs/mathematics.md, Scores
of one answer).

A record says yes with probability chance + keep * share. Warner (1965); unrelated question (Greenberg et al. 1969);
forced response (Boruch 1971); Kuk (1990); Mangat (1994); crosswise and triangular (Yu, Tian and Tang 2008); negative
survey (Esponda and Guerrero 2009).
"""

from dataclasses import dataclass, field
from math import inf, isnan, nan

from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value

ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class ResponseLaw:
    """Law of a recorded yes: with probability `keep` the true answer is recorded, with probability `chance` a yes by
    chance, so that keep + chance is at most 1.

    `turned`: the law holds for a recorded no instead. `chance` is NaN where nobody knows how many say yes to an
    unrelated question.
    """

    keep: float
    chance: float
    turned: bool = False
    name: str = field(default="law", compare=False)

    def __post_init__(self) -> None:
        if not (
            0 < self.keep <= 1 and not (self.chance < -ROUNDING or self.chance > 1 - self.keep + ROUNDING)
        ):
            raise InputError("law", _("keep must be above 0, chance at least 0, and both at most 1 together"))

    @property
    def amplification(self) -> float:
        """The largest factor by which one record can change the odds of the attribute (docs/mathematics.md,
        Guarantee).

        Infinite where one of the answers proves something; NaN where `chance` is unknown.
        """
        rarer = self.chance if isnan(self.chance) else min(self.chance, 1 - self.keep - self.chance)
        return inf if rarer < ROUNDING else 1 + self.keep / rarer

    def __repr__(self) -> str:
        return (
            f"<{self.name}: keep {self.keep:g}, chance {self.chance:g}, amplification {self.amplification:g}>"
        )


def warner(p: float) -> ResponseLaw:
    """Warner's law: the sensitive statement is drawn with probability p, else its opposite; p is not 1/2.

    Of a device that reverses the true answer with probability q, p is 1 - q.
    """
    return _law("warner", abs(2 * p - 1), min(p, 1 - p), p < 0.5, p=p)


def crosswise(p: float) -> ResponseLaw:
    """Crosswise law of the answer *same*, if a share p says yes to the other question; p is not 1/2."""
    return _law("crosswise", abs(2 * p - 1), min(p, 1 - p), p < 0.5, p=p)


def unrelated_question(p: float, yes: float | None = None) -> ResponseLaw:
    """Unrelated-question law: the sensitive question is asked with probability p, else one to which a share `yes` says
    yes. Without `yes` this share is unknown: two samples are needed, each with its own p (`law_by`)."""
    if yes is None:
        return _law("unrelated_question", p, nan, p=p)
    return _law("unrelated_question", p, (1 - p) * yes, p=p, yes=yes)


def forced_response(*, yes: float, no: float) -> ResponseLaw:
    """Forced-response law: the device forces yes or no with these probabilities, else the answer is true. Both are
    named, since other packages have them in either order."""
    return _law("forced_response", 1 - yes - no, yes, yes=yes, no=no)


def kuk(*, yes: float, no: float) -> ResponseLaw:
    """Kuk's law of one card: red with probability `yes` if the attribute holds, else with probability `no`. A recorded
    yes is a red card."""
    return _law("kuk", abs(yes - no), no if yes > no else 1 - no, yes < no, yes=yes, no=no)


def mangat(p: float) -> ResponseLaw:
    """Mangat's law: who has the attribute says yes, others say no with probability p. A no proves that the attribute is
    absent."""
    return _law("mangat", p, 1 - p, p=p)


def triangular(p: float) -> ResponseLaw:
    """Triangular law of the answer *at least one of both*, if a share p says yes to the other question. The other
    answer proves that the attribute is absent."""
    return _law("triangular", 1 - p, p, p=p)


def negative_survey(choices: int) -> ResponseLaw:
    """Negative survey: a person names at random one of so many choices that does not apply. A recorded yes names this
    choice, which proves that it does not apply."""
    if choices not in range(3, 1000):
        raise InputError("negative_survey: choices", _("must be a whole number of at least 3"))
    return ResponseLaw(1 / (choices - 1), 1 - 1 / (choices - 1), True, f"negative_survey(choices={choices})")


def _law(
    technique: str, keep: float, chance: float, turned: bool = False, **parameters: float
) -> ResponseLaw:
    """Returns the law with these parameters in its name; refuses, by name, those that are no probability and those at
    which answers say nothing."""
    for name, value in parameters.items():
        if isinstance(value, bool) or not 0 <= value <= 1:
            template = _("must be a probability from 0 to 1, not %(value)s")
            raise InputError(f"{technique}: {name}", template, value=quote_value(value))
    told = ", ".join(f"{name}={value:g}" for name, value in parameters.items())
    if keep <= ROUNDING:
        places = ", ".join(parameters)
        raise InputError(f"{technique}: {places}", _("must leave a true answer, unlike %(told)s"), told=told)
    return ResponseLaw(keep, chance, turned, f"{technique}({told})")
