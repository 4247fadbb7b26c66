"""How often a plan of true hypotheses of no effect finds any."""

import numpy as np

from mining.document.study import HypothesisResult
from mining.studies.answer_scores import AnswerLaw, answer_side
from mining.studies.plans import decide
from mining.studies.waves import differences

HYPOTHESES = 20


def false_plans(keep: float, n: int, surveys: int, rng: np.random.Generator) -> float:
    """Each hypothesis compares two versions of a question that half of the respondents get, without a difference."""
    law = AnswerLaw.of(keep, 0.5)
    size = surveys * HYPOTHESES
    first = rng.binomial(n, 0.5, size)
    shares = np.tile(rng.uniform(0.05, 0.5, HYPOTHESES), surveys)
    versions = []
    for records in (first, n - first):
        having = rng.binomial(records, keep * shares + float(law.chance))
        nobody = np.zeros(size)
        versions.append(answer_side(np.stack([nobody, records]), np.stack([nobody, having]), law))
    p = differences(*versions, shared=False).p.reshape(surveys, HYPOTHESES)
    plans = ([HypothesisResult("", "", p=one) for one in row] for row in p.tolist())
    return float(np.mean([any(hypothesis.met for hypothesis in decide(plan)) for plan in plans]))
