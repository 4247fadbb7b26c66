"""Reads the counts of three published studies; published-studies.md names their sources."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mining.studies.single_answer_score_moments import AnswerLaw


@dataclass(frozen=True)
class PrintedFormula:
    """The estimator of a source: Horvitz and Thompson's mean of the scores z, sampling n of N people.

    se^2 = (1 - n/N) s^2/n + mean(z (z-1)) / N, with s^2 = SUM (z - mean)^2 / (n-1).

    The first part is the sampling error, which a census would not have, the second the error of the
    randomisation, which a census would have. Our se is that of an infinite population, with n for n-1.
    `population` is N; the source computes with shares of *yes* to the unrelated question of `noise_places`
    places. See docs/mathematics.md, Scores of one answer.
    """

    population: int
    noise_places: int

    def law(self, answer_law: AnswerLaw) -> AnswerLaw:
        """Returns the technique's law with the share of *yes* to the unrelated question rounded as the source does."""
        keep, chance = float(answer_law.keep), float(answer_law.chance)
        return AnswerLaw.from_probabilities(keep, round(chance / (1 - keep), self.noise_places))

    def estimate(self, answer_law: AnswerLaw, n: int, yes: int) -> tuple[float, float]:
        """Returns the estimated share and its standard error, from `yes` of `n` records."""
        law = self.law(answer_law)
        share = yes / n
        scores = float(law.score_with_answer), float(law.score_without_answer)
        mean, second = (share * scores[0] ** power + (1 - share) * scores[1] ** power for power in (1, 2))
        sampled = (1 - n / self.population) * (second - mean**2) / (n - 1)
        return mean, (sampled + (second - mean) / self.population) ** 0.5


FILE = Path(__file__).parent / "published-studies.json"

STUDENTS, NIGERIA, VALIDATION = "students", "nigeria", "validation"
DIRECT, UNRELATED, CROSSWISE, FORCED = "direct", "unrelated", "crosswise", "forced"
TECHNIQUES = (DIRECT, UNRELATED, CROSSWISE, FORCED)
TECHNIQUE_OF = {STUDENTS: UNRELATED, NIGERIA: FORCED}
DICE, TAX = "cheating dice game", "tax evasion"

PRINTED: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        (question, technique): share
        for question, shares in {
            TAX: (0.100, 0.175, 0.195, 0.143),
            DICE: (0.031, 0.047, 0.149, -0.006),
        }.items()
        for technique, share in zip(TECHNIQUES, shares, strict=True)
    }
)
"""Shares printed in the validation study, to three places."""


@dataclass(frozen=True)
class PublishedCounts:
    """Published counts of a question and technique: `yes` of `n` records are *yes*; `law`: how the technique
    randomises."""

    study: str
    question: str
    technique: str
    law: AnswerLaw
    n: int
    yes: int


@dataclass(frozen=True)
class PublishedPair:
    """Published counts of two questions: `yes_yes` records are *yes* to both."""

    questions: tuple[str, str]
    yes_yes: int


@dataclass(frozen=True)
class PublishedStudies:
    """All published counts.

    `printed`: the share and error that the source prints, by study and question; `formulas`: the estimator of
    a study, where it differs from ours.
    """

    counts: tuple[PublishedCounts, ...]
    pairs: tuple[PublishedPair, ...]
    printed: Mapping[tuple[str, str], tuple[float, float]]
    formulas: Mapping[str, PrintedFormula]
    sources: Mapping[str, str]

    def study_counts(self, study: str) -> list[PublishedCounts]:
        return [count for count in self.counts if count.study == study]


def read_published_studies() -> PublishedStudies:
    studies = json.loads(FILE.read_text(encoding="utf-8"))["studies"]
    return PublishedStudies(
        tuple(_read_counts(study["name"], item) for study in studies for item in study["items"]),
        tuple(
            PublishedPair(tuple(pair["questions"]), pair["yes_yes"])
            for study in studies
            for pair in study.get("pairs", ())
        ),
        {
            (study["name"], question): tuple(figures)
            for study in studies
            for question, figures in study.get("published", {}).items()
        },
        {study["name"]: PrintedFormula(**study["printed_by"]) for study in studies if "printed_by" in study},
        {study["name"]: study["source"] for study in studies},
    )


def _read_counts(study: str, item: Mapping[str, Any]) -> PublishedCounts:
    technique, yes = item.get("technique") or TECHNIQUE_OF[study], item["yes"]
    if technique == CROSSWISE:
        # A section of one question with keep |1-2u|; u is below 1/2, so *different* is recorded as *yes*.
        law, yes = AnswerLaw.from_probabilities(1 - 2 * float(item["p"]), 0.5), item["n"] - yes
    else:
        # The true answer with probability p, else *yes* with the probability `noise`.
        law = AnswerLaw.from_probabilities(float(item["p"]), float(Fraction(str(item["noise"]))))
    return PublishedCounts(study, item["question"], technique, law, item["n"], yes)
