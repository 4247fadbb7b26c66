"""The scores of a question as mining sees it, whichever its law; apart from the designs, which need no arrays."""

from privacy.kinds.number.class_scores import score_table
from privacy.kinds.number.classes import ClassesLaw
from privacy.kinds.score_table import ScoreTable
from privacy.kinds.scored import ScoredItems


def scores_of(question: ScoredItems) -> ScoreTable:
    law = question.score_law
    assert isinstance(law, ClassesLaw)
    return score_table(law.limits, law.cuts, law.keep)
