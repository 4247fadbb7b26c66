"""The moments of score tests in machine code, row by row, from a contingency table (docs/mathematics.md, Score test).

Importing this module imports numba. It fills the rows that `score_kernel` reads. Records before the disguise fall into
classes: all of S, A without C, C without A, the rest. A support is tested as the confidence of S given everybody.
"""

import numpy as np

from mining.inference import score_kernel as place
from mining.inference.score_kernel import FUNCTIONS, UP_TO_2
from privacy import kernel_cache
from privacy.cached_function import compiled

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
def fill_true_shares(received, group, sections, keep, noise, cells):  # type: ignore[no-untyped-def]
    """Fills in x = y H^-1 of a group in place: negative shares are 0, the others divided by their total."""
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
    table, law, values, changes, mean_received, few, classes, alone, supports, covariances, rows
):
    """Fills in the rows of the tests of a table in place: test (OF_A, OF_C, OF_LIFT) by row by place.

    `table` has the shares of cells as received, the number of records and the weight of each group; `law` the
    sensitive sections, the keep and the noise. `values` are the monomials and indicators of a cell: law by group by
    cell by value; `mean_received` are means of the monomials up to degree 2 over the received records, and `changes`
    how much they grow if the true share of all parts does: law by group by monomial. `few` counts the received
    records of each class. `classes` is the class of each cell, `alone` the cell of each empty class. `supports` are
    P_A, P_C and P_S, `covariances` V_A, V_C and C_AC, by row.
    """
    received, records, weight = table
    sections, keep, noise = law
    cells, tests, laws = len(classes), len(rows), len(values)
    true, chances, total = np.empty((2, cells)), np.empty((4, 2, cells)), np.empty((4, 2))
    means, linear = np.empty((4, VALUES)), np.empty((3, VALUES))
    for row in range(received.shape[2]):
        p, q = keep[:, min(row, keep.shape[1] - 1)], noise[:, min(row, noise.shape[1] - 1)]
        value, change = values[min(row, laws - 1)], changes[min(row, laws - 1)]
        for group in range(2):
            fill_true_shares(received[:, group, row], group, sections, p, q, true[group])
        _fill_class_chances(true, classes, alone, sections, p, q, chances, total)
        for test in range(tests):
            target = rows[test, row]
            _fill_head(test, tests, row, weight, total, supports, covariances, target)
            target[place.RECORDS], target[place.PER_RECORD] = records[row], 1 / records[row]
            target[place.ALL_OF_S] = few[BOTH, row]
            target[place.LACKING] = (
                np.inf if test == OF_LIFT else few[ONLY_C if test == OF_C else ONLY_A, row]
            )
            f, g = _factors(test, row, supports)
            _combine_to_2(mean_received[row], f, g, target, place.RECEIVED)
            for group in range(2):
                _combine_to_2(change[group], f, g, target, place.LOWERED + group * UP_TO_2)
        for group in range(2):
            _fill_class_means(chances, value, group, means)
            for test in range(tests):
                f, g = _factors(test, row, supports)
                _fill_moved_means(test, group, means, f, g, linear, rows[test, row])


@compiled
def _fill_class_means(chances, value, group, means):  # type: ignore[no-untyped-def]
    """Fills in the mean of each monomial and indicator among the received records of each true class."""
    for of in range(4):
        for index in range(VALUES):
            means[of, index] = 0.0
        for cell in range(value.shape[1]):
            chance = chances[of, group, cell]
            if chance != 0:
                for index in range(VALUES):
                    means[of, index] += chance * value[group, cell, index]


@compiled
def _fill_moved_means(test, group, means, f, g, linear, target):  # type: ignore[no-untyped-def]
    """Fills in K, L and M of a group: with s the share of S, A - s are A without C, o are C without A, and 1 - A - o
    are the rest.
    """
    first, second = (ONLY_C, ONLY_A) if test == OF_C else (ONLY_A, ONLY_C)
    antecedent = target[place.ANTECEDENT + group]
    for index in range(VALUES):
        linear[0, index] = antecedent * means[first, index] + (1 - antecedent) * means[REST, index]
        linear[1, index] = means[BOTH, index] - means[first, index]
        linear[2, index] = means[second, index] - means[REST, index]
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


def load_machine_code() -> None:
    """Loads the machine code; compiles it where no process has done so yet."""
    law, by_row, cells = np.ones((1, 1)), np.ones((3, 0)), np.zeros(4, np.int64)
    with kernel_cache.compile_once("score-moments"):
        fill_rows(
            (np.ones((1, 2, 0)), np.ones(0), np.ones((2, 0))),
            (np.zeros((0, 3), np.int64), law, law),
            *(
                np.ones((1, 2, 1, VALUES)),
                np.ones((1, 2, DEGREE_2)),
                np.ones((0, DEGREE_2)),
                by_row,
                cells[:1],
                cells,
            ),
            *(by_row, by_row, np.ones((1, 0, place.WIDTH))),
        )
