"""How often a plan of true hypotheses of no effect finds any."""

import numpy as np

from mining.studies.answer_scores import AnswerLaw
from mining.studies.plans import decide
from mining.studies.waves import compare_waves, wave_shares

HYPOTHESES = 20


def false_plans(keep: float, n: int, surveys: int, rng: np.random.Generator) -> float:
    """Each hypothesis compares two versions of a question that half of the respondents get, without a difference."""
    law = AnswerLaw.of(keep, 0.5)
    size = surveys * HYPOTHESES
    first = rng.binomial(n, 0.5, size)
    shares = np.tile(rng.uniform(0.05, 0.5, HYPOTHESES), surveys)
    waves = []
    for records in (first, n - first):
        having = rng.binomial(records, keep * shares + float(law.chance))
        nobody = np.zeros(size)
        waves.append(wave_shares(np.stack([nobody, records]), np.stack([nobody, having]), law))
    p = compare_waves(*waves).p.reshape(surveys, HYPOTHESES)
    return float(np.mean([any(of.met for of in decide(row)) for row in p.tolist()]))
