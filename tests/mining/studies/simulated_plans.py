"""How often a plan of true hypotheses of no effect finds any."""

import numpy as np

from mining.document.comparisons import decide_hypotheses
from mining.document.study_nodes import HypothesisResult
from mining.inference.selection_correction import LEVEL, ChosenLevels, critical_z
from mining.studies.single_answer_estimates import AnswerLaw, answer_side
from mining.studies.waves import compare_sides

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
    levels = ChosenLevels(np.ones(size, np.bool_), critical_z(LEVEL / HYPOTHESES))
    tested = compare_sides(*versions, shared=False, levels=levels)
    columns = (tested.p.tolist(), tested.low.tolist(), tested.high.tolist())
    results = [
        HypothesisResult("", "version", p=p, low=low, high=high)
        for p, low, high in zip(*columns, strict=True)
    ]
    plans = (results[start : start + HYPOTHESES] for start in range(0, size, HYPOTHESES))
    return float(np.mean([any(hypothesis.met for hypothesis in decide_hypotheses(plan)) for plan in plans]))
