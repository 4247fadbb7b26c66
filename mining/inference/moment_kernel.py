"""The moments of score tests in machine code, row by row, from a contingency table (docs/mathematics.md, Score test).

Importing this module imports numba. It fills the rows that `score_kernel` reads. Records before the disguise fall into
classes: all of S, A without C, C without A, the rest. A support is tested as the confidence of S given everybody.
"""

import numpy as np
from numpy.typing import NDArray

from mining.inference import score_kernel as place
from mining.inference.score_kernel import FUNCTIONS, UP_TO_2, compiled

BOTH, ONLY_A, ONLY_C, REST = 0, 1, 2, 3
"""The classes."""
OF_A, OF_C, OF_LIFT = 0, 1, 2
"""The tests of a table: the confidence of A -> C, that of C -> A, the lift."""

MONOMIALS = (
    *((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    *((2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 2, 0), (0, 1, 1), (0, 0, 2)),
    *((3, 0, 0), (2, 1, 0), (2, 0, 1), (1, 2, 0), (1, 1, 1), (1, 0, 2)),
    *((0, 3, 0), (0, 2, 1), (0, 1, 2), (0, 0, 3)),
)
"""Exponents of z(S), z(A) and z(C)."""
EXPONENTS = np.array(MONOMIALS)
DEGREE_2 = 9
"""So many monomials have at most degree 2."""
INDICATORS = len(MONOMIALS)
"""After the monomials come the indicators of the classes BOTH, ONLY_A and ONLY_C among the received cells."""
VALUES = INDICATORS + 3


@compiled
def apply_disguise(cells, sections, keep, noise, inverse):  # type: ignore[no-untyped-def]
    """Applies H or its inverse to shares of cells in place, section by section: p 1[same] + (1-p) times the noise
    law of its parts.

    `sections` has the index, the first bit and the number of bits of each sensitive section.
    """
    for index in range(len(sections)):
        p, first, bits = keep[sections[index, 0]], sections[index, 1], sections[index, 2]
        inner, size = 1 << first, 1 << bits
        for start in range(len(cells)):
            if start & (size - 1) << first:
                continue
            total = 0.0
            for own in range(size):
                total += cells[start + own * inner]
            for own in range(size):
                chance = (1 - p) * total
                for bit in range(bits):
                    q = noise[first + bit]
                    chance *= q if own >> bit & 1 else 1 - q
                at = start + own * inner
                cells[at] = (cells[at] - chance) / p if inverse else p * cells[at] + chance


@compiled
def fill_true(received, sections, keep, noise, true):  # type: ignore[no-untyped-def]
    """Fills in x = y H^-1, cell by group by row, in place: negative shares are 0, the others divided by their total."""
    cells = np.empty(len(received))
    for row in range(received.shape[2]):
        of_keep, of_noise = keep[:, min(row, keep.shape[1] - 1)], noise[:, min(row, noise.shape[1] - 1)]
        for group in range(2):
            _true_shares(received[:, group, row], group, sections, of_keep, of_noise, cells)
            true[:, group, row] = cells


@compiled
def _true_shares(received, group, sections, keep, noise, cells):  # type: ignore[no-untyped-def]
    for cell in range(len(cells)):
        cells[cell] = received[cell]
    if group == 1:
        apply_disguise(cells, sections, keep, noise, True)
    total = 0.0
    for cell in range(len(cells)):
        cells[cell] = max(cells[cell], 0.0)
        total += cells[cell]
    if total > 0:
        for cell in range(len(cells)):
            cells[cell] /= total


@compiled
def _fill_values(scores, classes, scored, moments, row, values):  # type: ignore[no-untyped-def]
    """Fills in the monomials of the scores of each cell and the indicators: value by group by cell.

    `scored` has bit and side of each part that is an item of scores, whose mean powers are `moments`.
    """
    column = min(row, scores.shape[3] - 1)
    for group in range(2):
        for cell in range(len(classes)):
            s, a, c = scores[2, cell, group, column], scores[0, cell, group, column], scores[1, cell, group, column]
            for index in range(INDICATORS):
                i, j, k = EXPONENTS[index]
                value = 1.0
                for _ in range(i):
                    value *= s
                for _ in range(j):
                    value *= a
                for _ in range(k):
                    value *= c
                for part in range(len(scored)):
                    exponent = i + (j if scored[part, 1] == 0 else k)
                    has = cell >> scored[part, 0] & 1
                    if exponent:
                        value *= moments[part, has, exponent, row] if group else has
                values[index, group, cell] = value
            for of in range(3):
                values[INDICATORS + of, group, cell] = classes[cell] == of


@compiled
def _fill_class_chances(true, classes, alone, sections, keep, noise, chances, total):  # type: ignore[no-untyped-def]
    """Fills in the share of each class, and the probability of each received cell given the class: class by group
    by cell. An empty class is the cell `alone`.
    """
    for group in range(2):
        for of in range(4):
            chance = chances[of, group]
            whole = 0.0
            for cell in range(len(classes)):
                if classes[cell] == of:
                    whole += true[group, cell]
            for cell in range(len(classes)):
                chance[cell] = true[group, cell] / whole if classes[cell] == of and whole > 0 else 0.0
            if whole <= 0:
                chance[alone[of]] = 1.0
            if group == 1:
                apply_disguise(chance, sections, keep, noise, False)
            total[of, group] = whole


@compiled
def _up_to_2(values, f, g, result):  # type: ignore[no-untyped-def]
    """Combines values of the monomials to those of z(S)^i z(B)^j up to degree 2, with z(B) = f z(A) + g z(C)."""
    result[0] = values[0]
    result[1] = f * values[1] + g * values[2]
    result[2] = values[3]
    result[3] = f * values[4] + g * values[5]
    result[4] = f * f * values[6] + 2 * f * g * values[7] + g * g * values[8]


@compiled
def _combine(values, f, g, lacking, result):  # type: ignore[no-untyped-def]
    """Combines values of the monomials to those of all functions of a test; ONLY_A or ONLY_C is `lacking`."""
    _up_to_2(values, f, g, result)
    result[5] = values[9]
    result[6] = f * values[10] + g * values[11]
    result[7] = f * f * values[12] + 2 * f * g * values[13] + g * g * values[14]
    result[8] = (
        f * f * f * values[15]
        + 3 * f * f * g * values[16]
        + 3 * f * g * g * values[17]
        + g * g * g * values[18]
    )
    result[place.IS_ALL_OF_S] = values[INDICATORS + BOTH]
    result[place.IS_LACKING] = values[INDICATORS + lacking]


@compiled
def fill_rows(  # type: ignore[no-untyped-def]
    counts, received, records, weight, sections, keep, noise, scores, classes, alone, scored, moments, supports, covariances, rows
):
    """Fills in the rows of the tests of a table in place: test (OF_A, OF_C, OF_LIFT) by row by place.

    `scores` are z(A), z(C) and z(S) by cell and group, `classes` the class of each cell and `alone` the cell of each
    empty class. `supports` are P_A, P_C and P_S, `covariances` V_A, V_C and C_AC, by row.
    """
    cells, tests = len(classes), len(rows)
    parts = len(noise)
    true = np.empty((2, cells))
    chances, total = np.empty((4, 2, cells)), np.empty((4, 2))
    values, means = np.empty((VALUES, 2, cells)), np.empty((4, VALUES))
    changes, mean_received = np.zeros((2, DEGREE_2)), np.zeros(DEGREE_2)
    linear, result = np.empty((3, VALUES)), np.empty(FUNCTIONS)
    is_one_law = keep.shape[1] == 1 and noise.shape[1] == 1 and not len(scored)
    for row in range(received.shape[2]):
        p, q = keep[:, min(row, keep.shape[1] - 1)], noise[:, min(row, noise.shape[1] - 1)]
        if row == 0 or not is_one_law:
            _fill_values(scores, classes, scored, moments, row, values)
            slope = 1.0
            for group in range(2):
                for index in range(DEGREE_2):
                    change = 0.0
                    for cell in range(cells):
                        sign = 1.0
                        for bit in range(parts):
                            if not cell >> bit & 1:
                                sign = -sign
                        change += sign * values[index, group, cell]
                    changes[group, index] = change * slope
                for section in range(len(p)):
                    slope *= p[section]
        for group in range(2):
            _true_shares(received[:, group, row], group, sections, p, q, true[group])
        _fill_class_chances(true, classes, alone, sections, p, q, chances, total)
        weight_0, weight_1 = weight[0, row], weight[1, row]
        for index in range(DEGREE_2):
            mean_0, mean_1 = 0.0, 0.0
            for cell in range(cells):
                mean_0 += received[cell, 0, row] * values[index, 0, cell]
                mean_1 += received[cell, 1, row] * values[index, 1, cell]
            mean_received[index] = weight_0 * mean_0 + weight_1 * mean_1
        few = np.zeros(3)
        for cell in range(cells):
            if classes[cell] < 3:
                few[classes[cell]] += counts[cell, 0, row] + counts[cell, 1, row]
        for test in range(tests):
            target = rows[test, row]
            _fill_head(test, tests, row, weight, total, supports, covariances, target)
            target[place.RECORDS] = records[row]
            pa, pc = supports[0, row], supports[1, row]
            f, g = (pc, pa) if test == OF_LIFT else (1.0 - test, float(test))
            lacking = ONLY_C if test == OF_C else ONLY_A
            if len(scored):
                target[place.RECEIVED : place.ALL_OF_S] = 0.0
                target[place.ALL_OF_S] = target[place.LACKING] = np.inf
            else:
                _up_to_2(mean_received, f, g, result)
                target[place.RECEIVED : place.RECEIVED + UP_TO_2] = result[:UP_TO_2]
                for group in range(2):
                    _up_to_2(changes[group], f, g, result)
                    for power in range(UP_TO_2):
                        target[place.LOWERED + 2 * power + group] = result[power]
                target[place.ALL_OF_S] = few[BOTH]
                target[place.LACKING] = np.inf if test == OF_LIFT else few[lacking]
        for group in range(2):
            for of in range(4):
                for index in range(VALUES):
                    mean = 0.0
                    for cell in range(cells):
                        mean += chances[of, group, cell] * values[index, group, cell]
                    means[of, index] = mean
            for test in range(tests):
                # With s the share of S, A - s are A without C, o are C without A, and 1 - A - o are the rest.
                first, second = (ONLY_C, ONLY_A) if test == OF_C else (ONLY_A, ONLY_C)
                antecedent = rows[test, row, place.ANTECEDENT + group]
                for index in range(VALUES):
                    linear[0, index] = antecedent * means[first, index] + (1 - antecedent) * means[REST, index]
                    linear[1, index] = means[BOTH, index] - means[first, index]
                    linear[2, index] = means[second, index] - means[REST, index]
                f, g = (supports[1, row], supports[0, row]) if test == OF_LIFT else (1.0 - test, float(test))
                for of in range(3):
                    _combine(linear[of], f, g, ONLY_C if test == OF_C else ONLY_A, result)
                    at = place.MEANS + (3 * group + of) * FUNCTIONS
                    rows[test, row, at : at + FUNCTIONS] = result


@compiled
def _fill_head(test, tests, row, weight, total, supports, covariances, target):  # type: ignore[no-untyped-def]
    """Fills in what a test asks of shares and of the difference: the table of docs/mathematics.md, Score test."""
    pa, pc, ps = supports[0, row], supports[1, row], supports[2, row]
    wanted_a, wanted_c = 0.0, 0.0
    for group in range(2):
        both = total[BOTH, group]
        # A support's classes are all of S and A without C, and A is everybody.
        a = both + total[ONLY_A, group] if tests > 1 else 1.0
        c = both + total[ONLY_C, group] if tests > 1 else 0.0
        if test == OF_C:
            a, c = c, a
        target[place.WEIGHT + group], target[place.SHARE + group] = weight[group, row], both
        target[place.ANTECEDENT + group], target[place.CONSEQUENT + group] = a, c
        is_lift = test == OF_LIFT
        target[place.LOW + group] = max(0.0, a + c - 1) if is_lift else 0.0
        target[place.HIGH + group] = min(a, c) if is_lift else a
        target[place.UNIT + group] = a * c if is_lift else a
        wanted_a += weight[group, row] * a
        wanted_c += weight[group, row] * c
    target[place.ESTIMATE] = ps
    if test == OF_LIFT:
        cov = covariances[2, row]
        target[place.TOTAL] = wanted_a * wanted_c
        target[place.BELOW], target[place.GOAL] = pa * pc - cov, pa * pc
        target[place.MOST] = max(ps, min(pa, pc))
        target[place.SPREAD] = abs(covariances[0, row] * covariances[1, row]) + cov**2
        return
    given = pc if test == OF_C else pa
    target[place.TOTAL] = wanted_a
    target[place.BELOW] = target[place.GOAL] = given
    target[place.MOST], target[place.SPREAD] = np.inf, 0.0
