"""A small survey with plain covariates, for counts by pattern: its design, and records written out."""

import numpy as np
from numpy.typing import NDArray

from mining.studies.answer_scores import AnswerLaw
from mining.studies.pattern_counts import PatternScores, scores_of
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

AGE = {"name": "age", "choices": ["18-39", "40-59", "60+"], "form": "scale"}
SEX = {"name": "sex", "choices": ["f", "m"]}
WORK = {"name": "work", "choices": ["employed", "not"]}
YEARS = {"name": "years", "choices": ["few", "some", "many"], "show_if": {"work": ["employed"]}}

STUDY = design(
    plain(AGE, SEX, WORK, YEARS),
    sensitive(
        "0.6923",
        question("theft", *HALF),
        question("sick", *HALF, show_if={"work": ["employed"]}),
        question("drugs", *HALF),
        asked=2,
    ),
)
LAW = AnswerLaw(0.6923, (1 - 0.6923) * 0.5)


def scores(records: list[int], having: list[int], law: AnswerLaw = LAW) -> PatternScores:
    """Of patterns that the item always applies to."""
    n, yes = np.array(records), np.array(having)
    counts: NDArray[np.int64] = np.stack([n - yes, yes, 0 * yes], axis=1)
    return scores_of(counts, law)
