"""The laws of numbers for many simulated respondents at once."""

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.node import PARTS
from privacy.kinds.codes import Codes
from privacy.kinds.number.form import ThresholdsQuestion, ThresholdsSection, WindowSection

Numbers = NDArray[np.int64]


def disguise_window(
    section: WindowSection,
    is_open: NDArray[np.bool_],
    truth: Codes,
    codes: Codes,
    rng: np.random.Generator,
) -> None:
    question, n = section.question, len(is_open)
    true = truth[0].astype(np.int64)
    shifted = (true + rng.integers(0, section.law.width, n) - question.half) % question.values
    anywhere = rng.integers(0, PARTS, n) < question.uniform_parts
    sent = np.where(anywhere, rng.integers(0, question.values, n), shifted)
    sent = np.where(is_open, true, sent)
    codes[0] = np.where(truth[0] == question.true_hidden, question.not_applicable, sent)


def disguise_thresholds(
    section: ThresholdsSection,
    is_open: NDArray[np.bool_],
    truth: Codes,
    codes: Codes,
    rng: np.random.Generator,
) -> None:
    question, n = section.question, len(is_open)
    numbers = moved(question, truth[0].astype(np.int64), rng)
    drawn = rng.integers(0, len(question.thresholds), n)
    true = numbers >= np.array(question.thresholds)[drawn]
    kept = is_open | (rng.integers(0, PARTS, n) < section.keep_parts)
    noise = rng.integers(0, 2, n).astype(np.bool_)
    sent = 2 * drawn + np.where(kept, true, noise)
    codes[0] = np.where(truth[0] == question.true_hidden, question.not_applicable, sent)


def moved(question: ThresholdsQuestion, true: Numbers, rng: np.random.Generator) -> Numbers:
    """The numbers of these true codes, with `mean` moved to a point next to them by chance."""
    numbers = np.asarray(question.low + question.step * true)
    if not question.mean:
        return numbers
    points = np.array(question.points)
    above = np.clip(np.searchsorted(points, numbers), 1, len(points) - 1)
    low, high = points[above - 1], points[above]
    up = rng.integers(0, high - low) < numbers - low
    return np.asarray(np.where(up, high, low))
