"""The law of a number within a limit."""

from math import ceil, floor

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.section import WINDOW
from surveys.kinds.number.draft import found_section, written_keep
from surveys.questionnaire.normal_values import Node


def limited_number(section: Node, limit: GammaLimit) -> Node | None:
    question = section["questions"][0]
    if question["law"] != WINDOW:
        return _limited_classes(section, limit)
    parts = least_uniform(question["values"], question["window"], limit)
    made = {**section, "questions": [{**question, "uniform": decimal(parts)}]} if parts < PARTS else None
    return made if made and found_section(made) else None


def _limited_classes(section: Node, limit: GammaLimit) -> Node | None:
    question = section["questions"][0]
    try:
        rest = {"keep_rest": written_keep(limit, 1)} if question["rest"] else {}
        return {**section, "keep": written_keep(limit, question["cuts"]), **rest}
    except Refusal:
        return None


def least_uniform(values: int, half: int, limit: GammaLimit) -> int:
    """1 - u in ten-thousandths: gamma = 1 + u V / ((1-u) (2h+1)) is at most G if 1-u is 1 / (1 + (G-1) (2h+1)/V)."""
    least = PARTS / (1 + (limit.gamma - 1) * (2 * half + 1) / values)
    return max(floor(least) + 1 if limit.strict else ceil(least), 1)
