"""Simulates unrelated-question sections for many respondents at once."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.grouped.section import SensitiveQuestion, UnrelatedQuestionSection
from privacy.kinds.simulation import Mask, SectionSimulation


class GroupedSimulation(SectionSimulation[UnrelatedQuestionSection]):
    """Simulates unrelated-question sections for many respondents at once."""

    def disguise(
        self,
        section: UnrelatedQuestionSection,
        is_open: Mask,
        truth: Codes,
        codes: Codes,
        rng: "np.random.Generator",
    ) -> None:
        n = len(is_open)
        drawn = _draw_questions(section, n, rng)
        replaceable = ~(is_open | (_throw_coins(n, rng) < section.keep_parts))
        for question, true, row in zip(section.questions, truth, codes, strict=True):
            replaced = replaceable
            if question.show_if:
                replaced = replaceable & (true != question.not_applicable)
            row[:] = true
            _write_codes(row, replaced, _noise_codes(question, _throw_coins(n, rng)))
            if section.rotates:
                _write_codes(row, ~next(drawn), np.full(n, question.not_asked, row.dtype))


def _write_codes(row: Codes, where: NDArray[np.bool_], codes: Codes) -> None:
    """Writes `codes` into `row`, in place, where `where` is True; by bit operations, since branches are slow here."""
    mask = np.negative(where.astype(row.dtype))
    row ^= (row ^ codes) & mask


def _draw_questions(
    section: UnrelatedQuestionSection, n: int, rng: "np.random.Generator"
) -> Iterator[NDArray[np.bool_]]:
    """Yields for each question a mask of the respondents who are asked the question.

    Each is asked with probability r/m if r of the m remaining questions are still to draw.
    """
    left = np.full(n, section.asked, np.uint32)
    for remaining in range(len(section.questions), 0, -1):
        asked = rng.integers(0, remaining, n, np.uint32) < left
        left -= asked
        yield asked


def _throw_coins(n: int, rng: "np.random.Generator") -> NDArray[np.uint16]:
    return rng.integers(0, PARTS, n, np.uint16)


def _noise_codes(question: SensitiveQuestion, coins: NDArray[np.uint16]) -> Codes:
    """Returns the random choice for each coin: the first whose cumulative noise probability is above the coin."""
    if question.codes > 8:
        return np.searchsorted(np.array(question.cumulative, np.uint16), coins, "right").astype(np.uint16)
    noise: Codes = (coins >= question.cumulative[0]).astype(np.uint8)
    for cumulative in question.cumulative[1:-1]:
        noise += coins >= cumulative
    return noise
