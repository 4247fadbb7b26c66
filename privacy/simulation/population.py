"""Populations of simulated respondents, whose true answers are known.

A distribution draws an answer to every question, as if no rule hid any; the population then applies the
rules. Probabilities here are floats: they describe people, not coins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes, smallest_code_type
from privacy.kinds.simulation import SkewedNumbers
from privacy.records.record import DISGUISED, OPEN
from privacy.simulation.disguise import CHUNK


class AnswerDistribution(Protocol):
    """Interface: draws the true answers of n independent respondents, questions x respondents."""

    def draw(self, n: int, rng: "np.random.Generator") -> Codes: ...


@dataclass(frozen=True, slots=True)
class Independent:
    """Draws the answers to each question independently, from the shares of its choices or a distribution of numbers.

    Shares here need not sum to 1: an answer is drawn with its part of their sum.
    """

    shares: tuple[tuple[float, ...] | SkewedNumbers, ...]

    def draw(self, n: int, rng: "np.random.Generator") -> Codes:
        rows = [
            law.draw(n, rng) if isinstance(law, SkewedNumbers) else _draw_from_shares(law, n, rng)
            for law in self.shares
        ]
        codes = np.empty((len(rows), n), np.result_type(*rows))
        for row, drawn in zip(codes, rows, strict=True):
            row[:] = drawn
        return codes


@dataclass(frozen=True, slots=True)
class LatentClasses:
    """Latent class model: each person has a random class; within a class the questions are independent."""

    weights: tuple[float, ...]
    classes: tuple[Independent, ...]

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.classes):
            raise InputError("weights", _("must be as many as the classes"))

    def draw(self, n: int, rng: "np.random.Generator") -> Codes:
        members = _draw_from_shares(self.weights, n, rng)
        parts = [law.draw(int((members == index).sum()), rng) for index, law in enumerate(self.classes)]
        codes = np.empty((len(parts[0]), n), np.result_type(*parts))
        for index, part in enumerate(parts):
            codes[:, members == index] = part
        return codes


@dataclass(frozen=True, slots=True)
class JointDistribution:
    """A joint distribution of answers: combinations of one code for each question, each with its share."""

    answers: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.shares) != len(self.answers):
            raise InputError("shares", _("must be as many as the answers"))

    def draw(self, n: int, rng: "np.random.Generator") -> Codes:
        columns = np.array(self.answers, smallest_code_type(1 + max(map(max, self.answers)))).T
        return columns[:, _draw_from_shares(self.shares, n, rng)]


class Respondents(NamedTuple):
    """Drawn respondents: their groups, and `truth`, their true codes, question x respondent.

    `Question.true_hidden_code` is the true code if a rule hides the question.
    """

    group: NDArray[np.uint8]
    truth: Codes


@dataclass(frozen=True, slots=True)
class Population:
    """A population of disguised and open respondents; if `open` is None, open respondents answer like disguised
    ones."""

    disguised: AnswerDistribution
    open: AnswerDistribution | None = None
    open_share: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.open_share <= 1:
            raise InputError("open_share", _("must be a probability such as .2"))

    def draw(self, design: Design, n: int, rng: "np.random.Generator") -> Respondents:
        """Draws n respondents, each open with probability `open_share`; in a design with arms the arm is drawn
        instead."""
        chooses = rng.random(n) < self.open_share
        is_plain = rng.integers(0, PARTS, n) < design.direct_parts if design.has_arms else chooses
        group = np.where(is_plain, OPEN, DISGUISED).astype(np.uint8)
        width = smallest_code_type(3 + max(question.true_codes for question in design.questions))
        truth = np.empty((len(design.questions), n), width)
        for start in range(0, n, CHUNK):
            chunk = slice(start, start + CHUNK)
            is_open = chooses[chunk]
            truth[:, chunk][:, is_open] = (self.open or self.disguised).draw(int(is_open.sum()), rng)
            truth[:, chunk][:, ~is_open] = self.disguised.draw(int((~is_open).sum()), rng)
            write_drawn_answers(design, truth[:, chunk], rng)
            write_hidden_codes(design, truth[:, chunk])
        return Respondents(group, truth)


def write_drawn_answers(design: Design, truth: Codes, rng: "np.random.Generator") -> None:
    """Writes the answers of questions that the device answers at random into `truth`, in place."""
    for row, question in zip(truth, design.questions, strict=True):
        if question.share_parts:
            coins = rng.integers(0, PARTS, len(row))
            row[:] = np.searchsorted(np.cumsum(question.share_parts), coins, "right")


def write_hidden_codes(design: Design, truth: Codes) -> None:
    """Writes `Question.true_hidden_code` into `truth`, in place, wherever the rules hide a question."""
    for row, question in zip(truth, design.questions, strict=True):
        for rule in question.show_if:
            row[~np.isin(truth[rule.place], list(rule.codes))] = question.true_hidden_code


def _draw_from_shares(shares: Sequence[float], n: int, rng: "np.random.Generator") -> Codes:
    """Draws n independent indexes with probabilities proportional to these shares."""
    edges = np.cumsum(shares)
    if not (min(shares) >= 0 and 0 < edges[-1] < np.inf):
        raise InputError("shares", _("must not be negative, nor all 0"))
    edges = edges[:-1] / edges[-1]
    at = rng.random(n)
    if len(edges) > 8:
        return np.searchsorted(edges, at, "right").astype(smallest_code_type(len(shares)))
    places: Codes = np.zeros(n, np.uint8)
    for edge in edges:
        places += at >= edge
    return places
