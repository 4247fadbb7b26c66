"""Finds the score table of a question by its disguise law; a module of its own, since designs need no arrays."""

from privacy.grammar.question import Question
from privacy.kinds.number.classes.law import ClassesLaw
from privacy.kinds.number.classes.scores_of_record_codes import score_table as of_classes
from privacy.kinds.score_table import ScoreTable
from privacy.kinds.scored_items import ScoredItems
from privacy.kinds.subset.scores import score_table as of_sets


def find_score_table(question: Question) -> ScoreTable:
    """Returns the scores by record code and item by which the shares of a question are estimated."""
    assert isinstance(question, ScoredItems)
    law = question.score_law
    assert law is not None
    return of_classes(law.limits, law.cuts, law.keep) if isinstance(law, ClassesLaw) else of_sets(law)
