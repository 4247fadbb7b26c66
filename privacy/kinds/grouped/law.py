"""The improved grouped unrelated-question model of one sensitive section: its law, guarantee and inverse.

With p = keep, theta_j = noise[j] and s = asked, a device draws a uniform s-subset of the N questions; on it,
with x the true and y the disguised answers and q(y) = prod_j theta_j(y_j),

    P(y|x) = p 1[y = x] + (1-p) q(y)            gamma = 1 + p / ((1-p) Q)

where Q is the product of the s smallest min_v theta_j(v). An itemset S of the section is seen, where a share
k answers openly, with P*(S) = k P(S) + (1-k) (p P(S) + (1-p) q(S)); the inverse solves this for P(S).
References (docs/references.md): 004, warner-1965, greenberg-1969.
See docs/mathematics.md, Disguise, and Guarantee.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

from privacy.kinds.disguise_law_interface import Protected, RecordKind

NOT_ASKED = -1
MOST_KINDS, MOST_DRAWN = 1_000, 50_000
"""Most kinds of records, and most questions times those asked, for which the leakage is computed.

A kind is the records with the same probability under noise.
"""
NOT_APPLICABLE = -2

Item = tuple[int, int]
"""A question's index in its section and the code of one of its choices."""


def rarest_noise_probability(smallest: Iterable[Fraction], asked: int) -> Fraction:
    """Returns Q, the probability of the rarest record under noise alone.

    `smallest`: the smallest noise probability of each question; `asked`: how many questions a device draws.
    """
    return prod(sorted(smallest)[:asked], start=Fraction(1))


@dataclass(frozen=True, slots=True)
class SectionLaw:
    """The disguise law of one section: keep probability, noise of each question, and how many questions a device
    draws."""

    keep: Fraction
    noise: tuple[tuple[Fraction, ...], ...]
    asked: int

    def probability(self, x: Sequence[int], y: Sequence[int]) -> Fraction:
        """Returns P(y|x), the probability of a disguised record y given true answers x, the draw of questions included.

        x holds a code or NOT_APPLICABLE for each question, y a code, NOT_APPLICABLE or NOT_ASKED.
        """
        drawn = [index for index, code in enumerate(y) if code != NOT_ASKED]
        if len(drawn) != self.asked:
            return Fraction(0)
        if any((x[index] == NOT_APPLICABLE) != (y[index] == NOT_APPLICABLE) for index in drawn):
            return Fraction(0)
        answered = [(index, y[index]) for index in drawn if y[index] != NOT_APPLICABLE]
        kept = all(x[index] == code for index, code in answered)
        return (self.keep * kept + (1 - self.keep) * self.noise_probability(answered)) / comb(
            len(self.noise), self.asked
        )

    def noise_probability(self, items: Iterable[Item]) -> Fraction:
        """Returns the probability that random answers contain all of these items, at most one item per question."""
        return prod((self.noise[question][code] for question, code in items), start=Fraction(1))

    @property
    def gamma(self) -> Fraction:
        """The largest factor by which one record can change the odds of anything about a person."""
        return 1 + self.keep / ((1 - self.keep) * rarest_noise_probability(map(min, self.noise), self.asked))

    @property
    def protected_people(self) -> Protected:
        return Protected.EVERYBODY

    def record_kinds(self) -> Counter[RecordKind] | None:
        """Returns the number of possible records of each kind (guarantee/leakage.py); None if that is too much work.

        Records are of one kind if the same share of true answers fits them and they are equally likely under noise. A
        record fits the share 1 / (product of the numbers of choices of the drawn questions) of all true answers.
        """
        if len(self.noise) * self.asked > MOST_DRAWN:
            return None
        # By number of questions drawn so far, share of the answers that fit, and probability under noise.
        states = Counter({(0, Fraction(1), Fraction(1)): 1})
        for choices in self.noise:
            alike, longer = Counter(choices), Counter(states)
            for (drawn, fits, chance), number in states.items():
                if drawn < self.asked:
                    for choice, times in alike.items():
                        longer[drawn + 1, fits / len(choices), chance * choice] += number * times
                if len(longer) > MOST_KINDS:
                    return None
            states = longer
        subsets, kinds = comb(len(self.noise), self.asked), Counter[RecordKind]()
        for (drawn, fits, chance), number in states.items():
            if drawn == self.asked:
                replaced = (1 - self.keep) * chance / subsets
                kinds[(fits, self.keep / subsets + replaced), (1 - fits, replaced)] += number
        return kinds

    def observed(self, support: Fraction, open_share: Fraction, items: Iterable[Item]) -> Fraction:
        """Returns the expected received support P*(S) of an itemset from its true support P(S)."""
        kept = open_share + (1 - open_share) * self.keep
        return kept * support + (1 - open_share) * (1 - self.keep) * self.noise_probability(items)


# --- lasting law
# A section whose disguise lasts: a permanent draw for each true answer, and an instant one in each round.
# With a = lasting, c = keep, r = c/a and q as in `law`,
#     permanent   b(x) = x with probability a, else noise: drawn once for each x, from the person's code
#     instant     y = b(x) with probability r, else noise: drawn anew each round
# so one round has the law of `SectionLaw` with keep c. Over rounds, with Q of `rarest_noise_probability`,
#     x unchanged, for ever    gamma = 1 + a / ((1-a) Q)
#     x unchanged, T rounds    gamma = 1 + a X / (1 + (1-a) Q X),  X = gamma_1^T - 1
#     one round differs        gamma_1 = 1 + c / ((a-c) Q)
# No bound for all histories of changing answers follows from the permanent draws. See docs/mathematics.md,
# Lasting disguise.


@dataclass(frozen=True, slots=True)
class LastingLaw:
    """The law of a lasting disguise: one permanent draw for each true answer, disguised once more in each round.

    `once`: the law of one round. `lasting`: a, the keep probability of the permanent draw, above the keep of `once`.
    See docs/mathematics.md, Lasting disguise.
    """

    once: SectionLaw
    lasting: Fraction

    @property
    def permanent(self) -> SectionLaw:
        """The law of the permanent draw; its gamma is that of all rounds in which the answers stay the same."""
        return SectionLaw(self.lasting, self.once.noise, self.once.asked)

    @property
    def gamma(self) -> Fraction:
        return self.permanent.gamma

    @property
    def departure_factor(self) -> Fraction:
        """gamma_1, the largest factor by which one round with changed answers multiplies gamma."""
        return 1 + self.once.keep / ((self.lasting - self.once.keep) * self._least_noise_probability)

    def gamma_if_unchanged(self, rounds: int) -> Fraction:
        """Returns gamma of all records of `rounds` rounds together if the person's answers never change."""
        excess = self.departure_factor**rounds - 1
        return 1 + self.lasting * excess / (1 + (1 - self.lasting) * self._least_noise_probability * excess)

    def max_gamma_over_rounds(self, rounds: int | None, departures: int) -> Fraction:
        """Returns an upper bound of gamma over `rounds` rounds in which answers may change; None: any number of rounds.

        `departures`: the number of rounds whose answers differ from the usual ones, counted over both histories of
        answers that are compared.
        """
        unchanged = self.gamma if rounds is None else self.gamma_if_unchanged(rounds)
        return unchanged * self.departure_factor**departures

    @property
    def rarest_draw_probability(self) -> Fraction:
        """The probability of the rarest permanent draw, (1-a) Q / C(N, s).

        Its product over the sections of a design shows whether codes of a given length can represent all draws.
        """
        return (
            (1 - self.lasting) * self._least_noise_probability / comb(len(self.once.noise), self.once.asked)
        )

    @property
    def _least_noise_probability(self) -> Fraction:
        return rarest_noise_probability(map(min, self.once.noise), self.once.asked)
