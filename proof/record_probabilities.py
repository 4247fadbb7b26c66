"""Computes the probability of every possible record by brute force from the design's JSON, without code of the product.

`prove` and the tests compare it with what the device sends and with what is stated. The true answer to a number
question is the number of steps above the lowest number.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb
from typing import Any

OPEN, DISGUISED = 0, 1

Law = dict[str, Fraction]
"""Probability of each answer text of a record."""


class RuledOut(ValueError):
    """Raised for a record that is impossible for some true answers."""


def record_law(design: dict[str, Any], group: int, answers: Sequence[int | None]) -> Law:
    """Returns the probability of every possible answer text of a record for these true answers."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    hidden = hidden_questions(questions, answers)
    law: Law = {"": Fraction(1)}
    first = 0
    for section in design["sections"]:
        indexes = list(range(first, first + len(section["questions"])))
        first += len(indexes)
        part = section_law(section, indexes, hidden, group, answers)
        law = {text + more: p * q for text, p in law.items() for more, q in part.items()}
    return law


def largest_ratio(laws: Sequence[Law]) -> Fraction:
    """Returns gamma: the largest ratio P(y|x) / P(y|x') of a record y under two true answers.

    Raises RuledOut if some true answers exclude a record.
    """
    largest = Fraction(1)
    for record in {text for law in laws for text in law}:
        column = [law.get(record, Fraction(0)) for law in laws]
        if not min(column):
            raise RuledOut(record)
        largest = max(largest, max(column) / min(column))
    return largest


def section_law(
    section: dict[str, Any], indexes: list[int], hidden: set[int], group: int, answers: Sequence[int | None]
) -> Law:
    questions = section["questions"]
    if section["kind"] == "number":
        return number_law(section, indexes[0] in hidden, group, answers[indexes[0]])
    if section["kind"] == "place":
        return place_law(section["questions"][0], indexes[0] in hidden, group, answers[indexes[0]])
    if section["kind"] == "subset":
        return subset_law(section, indexes[0] in hidden, group, answers[indexes[0]])
    keep = Fraction(section.get("keep", "1"))
    asked = section.get("asked", len(questions))
    drawn_sets = list(combinations(range(len(questions)), asked))
    law: Law = {}
    for drawn in drawn_sets:
        # Per question the codes that may be sent, each with its probability under pure noise.
        options: list[list[tuple[int | None, Fraction]]] = []
        truth: list[int | None] = []
        for j, question in enumerate(questions):
            m = len(question["choices"])
            if j not in drawn:
                options.append([(m, Fraction(1))])
            elif indexes[j] in hidden:
                options.append([(m + 1, Fraction(1))])
            elif section["kind"] == "plain":
                options.append([(answers[indexes[j]], Fraction(1))])
            else:
                options.append([(v, Fraction(noise)) for v, noise in enumerate(question["noise"])])
            answered = j in drawn and indexes[j] not in hidden
            truth.append(answers[indexes[j]] if answered else options[-1][0][0])
        for outcome in product(*options):
            text = "".join(pad_code(q, code) for q, (code, _) in zip(questions, outcome, strict=True))
            noise = Fraction(1)
            for _, probability in outcome:
                noise *= probability
            kept = Fraction([code for code, _ in outcome] == truth)
            total = kept if group == OPEN else keep * kept + (1 - keep) * noise
            law[text] = law.get(text, Fraction(0)) + total / len(drawn_sets)
    return {text: probability for text, probability in law.items() if probability}


def number_law(section: dict[str, Any], hidden: bool, group: int, answer: int | None) -> Law:
    (question,) = section["questions"]
    if hidden:
        return {pad_code(question, number_of_codes(question) + 1): Fraction(1)}
    assert answer is not None
    return {
        pad_code(question, code): chance for code, chance in number_code_law(section, answer, group).items()
    }


def number_code_law(section: dict[str, Any], answer: int, group: int = DISGUISED) -> dict[int, Fraction]:
    """Returns the probability of each code of a number question, given the true answer."""
    (question,) = section["questions"]
    question_law = window_law if question["law"] == "window" else classes_law
    return {
        code: chance for code, chance in enumerate(question_law(section, question, group, answer)) if chance
    }


def window_law(section: dict[str, Any], question: dict[str, Any], group: int, answer: int) -> list[Fraction]:
    values, h, uniform = question["values"], question["window"], Fraction(question["uniform"])
    near = [(answer + shift) % values for shift in range(-h, h + 1)]
    disguised = [uniform / values + (1 - uniform) * near.count(code) / len(near) for code in range(values)]
    return [Fraction(code == answer) for code in range(values)] if group == OPEN else disguised


def classes_law(section: dict[str, Any], question: dict[str, Any], group: int, answer: int) -> list[Fraction]:
    """Returns the probability of each code of a number by classes: intervals, over all draws of limits, then position
    bits."""
    limits, m, step = question["limits"], question["cuts"], int(question.get("step", 1))
    number, classes = question["low"] + step * answer, len(limits) + 1
    own = sum(limit <= number for limit in limits)
    codes_of = {pair: code for code, pair in enumerate(combinations(range(classes + 1), 2))}
    law = [Fraction(0)] * number_of_codes(question)
    rest = Fraction(question.get("rest", 0), 20)
    draws = list(combinations(range(1, classes), m))
    for draw in draws:
        bounds = [0, *draw, classes]
        for pair in pairwise(bounds):
            kept = Fraction(pair[0] <= own < pair[1])
            keep = Fraction(section["keep"])
            chance = keep * kept + (1 - keep) / (m + 1)
            law[codes_of[pair]] += (1 - rest) * (0 if group == OPEN else chance) / len(draws)
    if group == OPEN:
        law[codes_of[own, own + 1]] = 1 - rest
    if rest:
        start = [question["low"], *limits][own]
        keep = Fraction(1) if group == OPEN else Fraction(section["keep_rest"])
        yes = keep * Fraction(number - start, widest_class_span(question)) + (1 - keep) / 2
        law[-2:] = [rest * (1 - yes), rest * yes]
    return law


def widest_class_span(question: dict[str, Any]) -> int:
    """Returns the largest distance of a number from the lowest number of its class."""
    starts, step = [question["low"], *question["limits"]], int(question.get("step", 1))
    tops = [*(limit - step for limit in question["limits"]), question["high"]]
    return max(int(top - start) for top, start in zip(tops, starts, strict=True))


def place_law(question: dict[str, Any], hidden: bool, group: int, answer: int | None) -> Law:
    """Returns the probability of each answer text of a place question; `answer`: number of the true cell."""
    count = number_of_codes(question)
    if hidden:
        return {pad_code(question, count + 1): Fraction(1)}
    assert answer is not None
    weights = (
        [int(cell == answer) for cell in range(count)] if group == OPEN else place_weights(question, answer)
    )
    law = [Fraction(weight, sum(weights)) for weight in weights]
    return {pad_code(question, code): probability for code, probability in enumerate(law) if probability}


def subset_law(section: dict[str, Any], hidden: bool, group: int, answer: int | None) -> Law:
    """Returns the probability of each answer text of a subset question.

    The codes count all sets in lexicographic order, then the choices.
    """
    (question,), size, keep = section["questions"], section["size"], Fraction(section["keep"])
    choices = len(question["choices"])
    sets = list(combinations(range(choices), size))
    width = len(str(len(sets) + choices + 1))
    if hidden:
        return {str(len(sets) + choices + 1): Fraction(1)}
    assert answer is not None
    if group == OPEN:
        return {str(len(sets) + answer).rjust(width, "0"): Fraction(1)}
    kept, others = keep / comb(choices - 1, size - 1), (1 - keep) / comb(choices - 1, size)
    return {
        str(code).rjust(width, "0"): kept if answer in members else others
        for code, members in enumerate(sets)
    }


def place_weights(question: dict[str, Any], true: int) -> list[int]:
    """Returns the weight of each cell for a true cell, in hundredths of the weight of a cell that is not near."""
    cells = question["cells"]
    at = {cell["name"]: cell["at"] for cell in cells}
    inside = {name for region in question["regions"] for name in region["cells"]}
    own = cells[true]["name"]
    weights = {cell["name"]: 100 * (cell["name"] in inside) for cell in cells}
    if own not in inside:
        weights[own] = (odds_in_hundredths(question["odds"]) - 100) * question["near"]
        return list(weights.values())
    (region,) = (region for region in question["regions"] if own in region["cells"])
    level = region if "near" in region else question
    order = {name: number for number, name in enumerate(at)}
    away = {name: (at[name][0] - at[own][0]) ** 2 + (at[name][1] - at[own][1]) ** 2 for name in order}
    for name in sorted(region["cells"], key=lambda name: (away[name], order[name]))[: level["near"]]:
        weights[name] = odds_in_hundredths(level["odds"])
    return list(weights.values())


def odds_in_hundredths(odds: str) -> int:
    return int(Fraction(odds) * 100)


def number_of_codes(question: dict[str, Any]) -> int:
    """Returns the number of different codes of a question in a record; for a subset question the number of its
    choices."""
    if "cells" in question:
        return len(question["cells"])
    if "law" not in question:
        return len(question["choices"])
    if question["law"] == "window":
        return int(question["values"])
    classes = len(question["limits"]) + 1
    return classes * (classes + 1) // 2 + 2 * bool(question.get("rest"))


def number_of_true_codes(question: dict[str, Any]) -> int:
    """Returns the number of different true answers to a question."""
    if question.get("law") != "classes":
        return number_of_codes(question)
    step, first = int(question.get("step", 1)), question["limits"][0]
    low = question.get("low", first - (first + 10**9) // step * step)
    high = question.get("high", first + (10**9 - first) // step * step)
    return int(high - low) // step + 1


def true_answers_at_class_ends(question: dict[str, Any]) -> list[int]:
    """Returns the lowest and highest true answer of each class; between them the law changes linearly."""
    step, codes = int(question.get("step", 1)), number_of_true_codes(question)
    low = question.get("low", question["limits"][0] - (question["limits"][0] + 10**9) // step * step)
    starts = [0, *((limit - low) // step for limit in question["limits"])]
    return sorted(
        {code for start in starts for code in (start, start - 1) if 0 <= code < codes} | {codes - 1}
    )


def hidden_questions(questions: list[dict[str, Any]], answers: Sequence[int | None]) -> set[int]:
    """Returns the indexes of the questions that show-if rules hide; a hidden question satisfies no later rule."""
    names = [question["name"] for question in questions]
    hidden: set[int] = set()
    for index, question in enumerate(questions):
        for name, allowed in question.get("show_if", {}).items():
            condition = names.index(name)
            code, choices = answers[condition], questions[condition]["choices"]
            names_of_choices = [c if isinstance(c, str) else c["name"] for c in choices]
            if condition in hidden or code is None or names_of_choices[code] not in allowed:
                hidden.add(index)
    return hidden


def pad_code(question: dict[str, Any], code: int | None) -> str:
    """Returns a question's code as text, zero-padded to the width of its largest code, *not applicable*."""
    return str(code).rjust(len(str(number_of_codes(question) + 1)), "0")
