"""The share and the error of a source whose sample was drawn without replacement from a known population.

It is Horvitz and Thompson's estimate of the mean of the scores z, each drawn with the probability n/N:

    se^2 = (1 - n/N) s^2/n + mean(z (z-1)) / N,    s^2 = SUM (z - mean)^2 / (n-1)

The first part is the error of the sample, which a census would not have, the second that of the coins, which it would.
Our se is that of an endless population, with n for n-1.
See docs/mathematics.md, Scores of one answer.
"""

from dataclasses import dataclass

from mining.studies.answer_scores import AnswerLaw


@dataclass(frozen=True)
class PrintedFormula:
    """`population` is N; the source computes with shares of *yes* to the unrelated question of so many places."""

    population: int
    noise_places: int

    def law(self, answer_law: AnswerLaw) -> AnswerLaw:
        keep, chance = float(answer_law.keep), float(answer_law.chance)
        return AnswerLaw.of(keep, round(chance / (1 - keep), self.noise_places))

    def estimate(self, answer_law: AnswerLaw, n: int, yes: int) -> tuple[float, float]:
        """Share and standard error."""
        law = self.law(answer_law)
        share = yes / n
        scores = float(law.with_answer), float(law.without_answer)
        mean, second = (share * scores[0] ** power + (1 - share) * scores[1] ** power for power in (1, 2))
        sampled = (1 - n / self.population) * (second - mean**2) / (n - 1)
        return mean, (sampled + (second - mean) / self.population) ** 0.5
