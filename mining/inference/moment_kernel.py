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
    """Fills in the monomials of the scores of each cell and the indicators: group by cell by value.

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
                values[group, cell, index] = value
            for of in range(3):
                values[group, cell, INDICATORS + of] = classes[cell] == of


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
def _fill_changes(values, parts, keep, changes):  # type: ignore[no-untyped-def]
    """Fills in how much the mean of each monomial up to degree 2 grows if the true share of all parts does: group by
    monomial.
    """
    changes[:] = 0.0
    slope = 1.0
    for group in range(2):
        for cell in range(values.shape[1]):
            sign = slope
            for bit in range(parts):
                if not cell >> bit & 1:
                    sign = -sign
            for index in range(DEGREE_2):
                changes[group, index] += sign * values[group, cell, index]
        for p in keep:
            slope *= p


@compiled
def _factors(test, row, supports):  # type: ignore[no-untyped-def]
    """Returns f and g of z(B) = f z(A) + g z(C)."""
    if test == OF_LIFT:
        return supports[1, row], supports[0, row]
    return (0.0, 1.0) if test == OF_C else (1.0, 0.0)


@compiled
def _combine_to_2(values, f, g, target, at):  # type: ignore[no-untyped-def]
    """Combines values of the monomials to those of z(S)^i z(B)^j up to degree 2, and puts them at a place."""
    target[at] = values[0]
    target[at + 1] = f * values[1] + g * values[2]
    target[at + 2] = values[3]
    target[at + 3] = f * values[4] + g * values[5]
    target[at + 4] = f * f * values[6] + 2 * f * g * values[7] + g * g * values[8]


@compiled
def _combine_to_3(values, f, g, target, at):  # type: ignore[no-untyped-def]
    """Combines values of the monomials of degree 3, which come after the others."""
    target[at + 5] = values[9]
    target[at + 6] = f * values[10] + g * values[11]
    target[at + 7] = f * f * values[12] + 2 * f * g * values[13] + g * g * values[14]
    target[at + 8] = (
        f * f * f * values[15]
        + 3 * f * f * g * values[16]
        + 3 * f * g * g * values[17]
        + g * g * g * values[18]
    )


@compiled
def fill_rows(  # type: ignore[no-untyped-def]
    counts, received, records, weight, sections, keep, noise, scores, classes, alone, scored, moments, supports, covariances, rows
):
    """Fills in the rows of the tests of a table in place: test (OF_A, OF_C, OF_LIFT) by row by place.

    `scores` are z(A), z(C) and z(S) by cell and group, `classes` the class of each cell and `alone` the cell of each
    empty class. `supports` are P_A, P_C and P_S, `covariances` V_A, V_C and C_AC, by row.
    """
    cells, tests = len(classes), len(rows)
    true = np.empty((2, cells))
    chances, total = np.empty((4, 2, cells)), np.empty((4, 2))
    values, means, linear = np.empty((2, cells, VALUES)), np.empty((4, VALUES)), np.empty((3, VALUES))
    mean_received, changes = np.empty(DEGREE_2), np.empty((2, DEGREE_2))
    few = np.empty(4)
    is_one_law = keep.shape[1] == 1 and noise.shape[1] == 1 and not len(scored)
    for row in range(received.shape[2]):
        p, q = keep[:, min(row, keep.shape[1] - 1)], noise[:, min(row, noise.shape[1] - 1)]
        if row == 0 or not is_one_law:
            _fill_values(scores, classes, scored, moments, row, values)
            _fill_changes(values, len(noise), p, changes)
        for group in range(2):
            _true_shares(received[:, group, row], group, sections, p, q, true[group])
        _fill_class_chances(true, classes, alone, sections, p, q, chances, total)
        mean_received[:] = 0.0
        few[:] = 0.0
        for cell in range(cells):
            few[classes[cell]] += counts[cell, 0, row] + counts[cell, 1, row]
            for group in range(2):
                share = weight[group, row] * received[cell, group, row]
                for index in range(DEGREE_2):
                    mean_received[index] += share * values[group, cell, index]
        for test in range(tests):
            target = rows[test, row]
            _fill_head(test, tests, row, weight, total, supports, covariances, target)
            target[place.RECORDS], target[place.PER_RECORD] = records[row], 1 / records[row]
            target[place.ALL_OF_S] = few[BOTH]
            target[place.LACKING] = np.inf if test == OF_LIFT else few[ONLY_C if test == OF_C else ONLY_A]
            f, g = _factors(test, row, supports)
            _combine_to_2(mean_received, f, g, target, place.RECEIVED)
            for group in range(2):
                _combine_to_2(changes[group], f, g, target, place.LOWERED + group * UP_TO_2)
            if len(scored):
                # Of an S with parts of scores the law alone gives the variance, and no count is few.
                for at in range(place.RECEIVED, place.MEANS):
                    target[at] = 0.0
                target[place.ALL_OF_S] = target[place.LACKING] = np.inf
        for group in range(2):
            for of in range(4):
                means[of] = 0.0
                for cell in range(cells):
                    chance = chances[of, group, cell]
                    if chance != 0:
                        for index in range(VALUES):
                            means[of, index] += chance * values[group, cell, index]
            for test in range(tests):
                # With s the share of S, A - s are A without C, o are C without A, and 1 - A - o are the rest.
                first, second = (ONLY_C, ONLY_A) if test == OF_C else (ONLY_A, ONLY_C)
                target = rows[test, row]
                antecedent = target[place.ANTECEDENT + group]
                for index in range(VALUES):
                    linear[0, index] = antecedent * means[first, index] + (1 - antecedent) * means[REST, index]
                    linear[1, index] = means[BOTH, index] - means[first, index]
                    linear[2, index] = means[second, index] - means[REST, index]
                f, g = _factors(test, row, supports)
                for of in range(3):
                    at = place.MEANS + (3 * group + of) * FUNCTIONS
                    _combine_to_2(linear[of], f, g, target, at)
                    _combine_to_3(linear[of], f, g, target, at)
                    target[at + place.IS_ALL_OF_S] = linear[of, INDICATORS + BOTH]
                    target[at + place.IS_LACKING] = linear[of, INDICATORS + first]


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
