"""Shares, differences and coefficients of any data frame, by the laws of the library (docs/library.md)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import candor
from bench.coverage.section import Measures, Value, grid, held
from candor.formulas import FEW_ANSWERS
from mining.inference.contingency_table import Floats
from mining.studies.answer_counts_by_plain_pattern import PatternScores, scores_from_counts
from mining.studies.estimating_equations import LINEAR, LOGIT, NoMaximum, fit_coefficients
from mining.studies.single_answer_score_moments import AnswerLaw

LAWS = {
    law.name: law
    for law in (
        candor.warner(0.8),
        candor.unrelated_question(0.6, 0.3),
        candor.forced_response(yes=1 / 6, no=1 / 6),
        candor.mangat(0.7),
        candor.kuk(yes=0.8, no=0.3),
        candor.crosswise(0.25),
        candor.triangular(0.25),
        candor.negative_survey(4),
    )
}
PEOPLE = (100, 300, 1_000, 10_000)
SHARES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
AGE, SEX = (part.ravel() for part in np.meshgrid(np.arange(6) / 5, np.arange(2)))
COLUMNS: Floats = np.stack([np.ones(12), AGE, SEX], axis=1).astype(np.float64)
LINKS = {"linear": LINEAR, "logit": LOGIT}
MOST_IMPOSSIBLE = 0.05


@dataclass(frozen=True)
class Cell:
    law: str
    n: int
    share: float

    def __str__(self) -> str:
        return f"{self.law}, n {self.n:,}, share {self.share:g}"

    def received(self, share: Floats | float) -> Floats:
        law = LAWS[self.law]
        return np.asarray(law.chance + law.keep * share)


@dataclass(frozen=True)
class ModelCell(Cell):
    family: str = "linear"

    def __str__(self) -> str:
        return f"{self.family}, {super().__str__()}"

    @property
    def by_pattern(self) -> Floats:
        """The share among people of each age and sex."""
        moved = AGE - 0.5 + SEX - 0.5
        if self.family == "linear":
            return np.asarray(self.share + min(self.share, 1 - self.share) * moved / 2)
        return np.asarray(1 / (1 + np.exp(-moved / 2) * (1 - self.share) / self.share))

    @property
    def is_noted(self) -> bool:
        """True if the library says that so few people say yes or no."""
        received = float(self.received(self.by_pattern).mean())
        return self.n * min(received, 1 - received) < FEW_ANSWERS


def share(cell: Cell, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = LAWS[cell.law]
    having = rng.binomial(cell.n, cell.received(cell.share), surveys)
    # What a law that is turned counts, is recorded as no.
    table = candor.count_shares(cell.n - having if law.turned else having, cell.n, law)
    yield held("share", cell, (table["low"].to_numpy(), table["high"].to_numpy()), cell.share)


def difference(cell: Cell, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Between halves, the second of which has a share nearer to a half."""
    law, second = LAWS[cell.law], cell.share + (0.1 if cell.share <= 0.5 else -0.1)
    n = cell.n // 2
    said = [rng.binomial(n, cell.received(of), surveys) for of in (cell.share, second)]
    counts = [n - having if law.turned else having for having in said]
    table = candor.compare_shares(counts[0], n, counts[1], n, law)
    yield held("difference", cell, (table["low"].to_numpy(), table["high"].to_numpy()), second - cell.share)


def coefficient(cell: ModelCell, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Of age and sex; without the logits that often have no maximum, which are refused."""
    law, link, shares = LAWS[cell.law], LINKS[cell.family], cell.by_pattern
    everybody = np.full(12, 1e6)
    truth = fit_coefficients(
        link, PatternScores(everybody, everybody * shares, everybody * shares), COLUMNS
    ).b
    covered, possible = np.zeros(3), 0
    for _survey in range(surveys):
        records = rng.multinomial(cell.n, np.full(12, 1 / 12))
        having = rng.binomial(records, cell.received(shares))
        counts = np.stack([records - having, having, 0 * having], axis=1)
        used = records > 0
        scores = scores_from_counts(counts[used], AnswerLaw(law.keep, law.chance))
        try:
            fit = fit_coefficients(link, scores, COLUMNS[used])
        except NoMaximum:
            continue
        possible += 1
        covered += np.abs(fit.b - truth) <= 1.96 * fit.se
    impossible = 1 - possible / surveys
    if impossible <= MOST_IMPOSSIBLE:
        name = "coefficient with few answers" if cell.is_noted else "coefficient"
        for of_one in (covered / possible).tolist():
            yield Value(name, str(cell), of_one, surveys, impossible)


MEASURES: Measures = {
    "library-shares": (grid(Cell, LAWS, PEOPLE, SHARES), share),
    "library-differences": (grid(Cell, LAWS, PEOPLE, SHARES), difference),
    "library-coefficients": (grid(ModelCell, LAWS, PEOPLE, SHARES[::2], LINKS), coefficient),
}
