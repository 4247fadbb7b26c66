"""Finds the score table of a scored question by its law; apart from designs, which need no arrays."""

from privacy.grammar.question import Question
from privacy.kinds.number.classes.law import ClassesLaw
from privacy.kinds.number.classes.scores import score_table as of_classes
from privacy.kinds.score_table import ScoreTable
from privacy.kinds.scored_items import ScoredItems
from privacy.kinds.subset.scores import score_table as of_sets


def find_score_table(question: Question) -> ScoreTable:
    """Returns the score table of a question whose items are estimated by scores."""
    assert isinstance(question, ScoredItems)
    law = question.score_law
    assert law is not None
    return of_classes(law.limits, law.cuts, law.keep) if isinstance(law, ClassesLaw) else of_sets(law)
