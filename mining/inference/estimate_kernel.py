"""Estimates and score tests in machine code, row by row, from the counts of a contingency table (docs/mathematics.md,
Score test).

Importing this module imports numba. It fills the rows that `score_test_kernel` reads. Records before the disguise fall
into classes: all of S, A without C, C without A, the rest. A support is tested as the confidence of S given everybody.

A `table` is passed as the fields of `TableArrays`; `estimates` are P_A, P_C, P_S, V_A, V_C and C_AC by row.
"""

import numpy as np

from mining.inference import score_test_kernel as place
from mining.inference.contingency_table import TableArrays
from mining.inference.score_test_kernel import FUNCTIONS, UP_TO_2
from privacy import machine_code_cache
from privacy.numba_compilation import compile_cached, compile_kernel_helper

BOTH, ONLY_A, ONLY_C, REST = 0, 1, 2, 3
"""Classes of true records: all of S, A without C, C without A, the rest."""
OF_A, OF_C, OF_LIFT = 0, 1, 2
"""Indexes of the tests of a table: the confidence of A -> C, that of C -> A, the lift."""

MONOMIALS = (
    *((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    *((2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 2, 0), (0, 1, 1), (0, 0, 2)),
    *((3, 0, 0), (2, 1, 0), (2, 0, 1), (1, 2, 0), (1, 1, 1), (1, 0, 2)),
    *((0, 3, 0), (0, 2, 1), (0, 1, 2), (0, 0, 3)),
)
"""Exponents of z(S), z(A) and z(C) in each monomial, by degree."""
DEGREE_2 = 9
"""Number of monomials of degree at most 2."""
EXPONENTS = np.array(MONOMIALS)
INDICATORS = len(MONOMIALS)
"""Index of the first class indicator: those of BOTH, ONLY_A and ONLY_C among the received cells follow the
monomials."""
VALUES = INDICATORS + 3


@compile_cached
def apply_disguise(cells, sections, keep, noise, inverse):
    """Applies the disguise H, or its inverse, in place to the shares of cells. Each section: p 1[same] + (1-p) times
    the noise law of its parts.

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


@compile_cached
def fill_true_shares(received, group, sections, keep, noise, cells):
    """Fills `cells` with the estimated true shares x = y H^-1 of a group: negative shares become 0, then all are scaled
    to sum 1."""
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


@compile_kernel_helper
def _fill_class_totals(true, classes, total):
    """Fills `total` with the share of each class: class by group."""
    for group in range(2):
        for of in range(4):
            total[of, group] = 0.0
        for cell in range(len(classes)):
            total[classes[cell], group] += true[group, cell]


@compile_kernel_helper
def _fill_class_chances(true, total, classes, alone, sections, keep, noise, chances):
    """Fills `chances` with the probability of each received cell given the class: class by group by cell.

    An empty class counts as its cell in `alone`.
    """
    for group in range(2):
        for of in range(4):
            chance, whole = chances[of, group], total[of, group]
            for cell in range(len(classes)):
                chance[cell] = true[group, cell] / whole if classes[cell] == of and whole > 0 else 0.0
            if whole <= 0:
                chance[alone[of]] = 1.0
            if group == 1:
                apply_disguise(chance, sections, keep, noise, False)


@compile_kernel_helper
def _base_score_factors(test, row, estimates):
    """Returns the factors f and g of a test's base score, z(B) = f z(A) + g z(C)."""
    if test == OF_LIFT:
        return estimates[1, row], estimates[0, row]
    return (0.0, 1.0) if test == OF_C else (1.0, 0.0)


@compile_kernel_helper
def _fill_score_powers_to_degree_2(values, f, g, target, at):
    """Writes z(S)^i z(B)^j up to degree 2 to `target`, from index `at` on, computed from the monomials of z(S), z(A)
    and z(C) (`values`)."""
    target[at] = values[0]
    target[at + 1] = f * values[1] + g * values[2]
    target[at + 2] = values[3]
    target[at + 3] = f * values[4] + g * values[5]
    target[at + 4] = f * f * values[6] + 2 * f * g * values[7] + g * g * values[8]


@compile_kernel_helper
def _fill_score_powers_of_degree_3(values, f, g, target, at):
    """Writes z(S)^i z(B)^j of degree 3 to `target`, after those of degree 2, computed from the monomials of z(S), z(A)
    and z(C) (`values`)."""
    target[at + 5] = values[9]
    target[at + 6] = f * values[10] + g * values[11]
    target[at + 7] = f * f * values[12] + 2 * f * g * values[13] + g * g * values[14]
    target[at + 8] = (
        f * f * f * values[15]
        + 3 * f * f * g * values[16]
        + 3 * f * g * g * values[17]
        + g * g * g * values[18]
    )


@compile_kernel_helper
def _fill_exact_counts(at_least, row, cells):
    """Fills `cells` with the number of records with exactly the parts of each cell, by inclusion and exclusion: group
    by cell."""
    many = cells.shape[1]
    for group in range(2):
        for cell in range(many):
            cells[group, cell] = at_least[cell, group, row]
        step = 1
        while step < many:
            for cell in range(many):
                if not cell & step:
                    cells[group, cell] -= cells[group, cell + step]
            step *= 2


@compile_kernel_helper
def _side_bits(sides):
    """Returns three bit masks of parts: of A, of C, and of S."""
    a = 0
    for bit in range(len(sides)):
        if sides[bit] == 0:
            a |= 1 << bit
    return a, ((1 << len(sides)) - 1) ^ a, (1 << len(sides)) - 1


@compile_kernel_helper
def _fill_scores(table, row, left_out, scores):
    """Fills `scores` with the score z of A, of C and of S in each cell, without the parts in the mask `left_out`: side
    by group by cell."""
    p, q = min(row, table.keep.shape[1] - 1), min(row, table.noise.shape[1] - 1)
    every = _side_bits(table.sides)
    plain = every[2]
    for index in range(len(table.sections)):
        plain &= ~(((1 << table.sections[index, 2]) - 1) << table.sections[index, 1])
    for side in range(3):
        must = plain & every[side]
        for cell in range(scores.shape[2]):
            scores[side, 0, cell] = scores[side, 1, cell] = 1.0 if cell & must == must else 0.0
        for index in range(len(table.sections)):
            first, bits = table.sections[index, 1], table.sections[index, 2]
            own = ((1 << bits) - 1) << first & every[side] & ~left_out
            if not own:
                continue
            keep = table.keep[table.sections[index, 0], p]
            chance = 1 - keep
            for bit in range(first, first + bits):
                if own >> bit & 1:
                    chance *= table.noise[bit, q]
            for cell in range(scores.shape[2]):
                has = 1.0 if cell & own == own else 0.0
                scores[side, 0, cell] *= has
                scores[side, 1, cell] *= (has - chance) / keep


@compile_cached
def fill_estimates(table, estimates):
    """Fills `estimates` row by row: the estimated supports of A, C and S, the variances of the first two, and their
    covariance."""
    many, rows = table.at_least.shape[0], table.at_least.shape[2]
    counts, squares, scores = np.empty((2, many)), np.empty((2, many)), np.empty((3, 2, many))
    laws = max(table.keep.shape[1], table.noise.shape[1])
    for row in range(rows):
        if row == 0 or laws > 1:
            _fill_scores(table, row, 0, scores)
        _fill_exact_counts(table.at_least, row, counts)
        _fill_exact_counts(table.squares if len(table.scored) else table.at_least, row, squares)
        records = max(table.at_least[0, 0, row] + table.at_least[0, 1, row], 1.0)
        sums = np.zeros(6)
        for group in range(2):
            n = max(table.at_least[0, group, row], 1.0)
            weight = table.at_least[0, group, row] / records
            a = c = s = aa = cc = ac = 0.0
            for cell in range(many):
                share, square = counts[group, cell] / n, squares[group, cell] / n
                of_a, of_c = scores[0, group, cell], scores[1, group, cell]
                a += share * of_a
                c += share * of_c
                s += share * scores[2, group, cell]
                aa += square * of_a * of_a
                cc += square * of_c * of_c
                ac += share * of_a * of_c
            for index, value in enumerate((a, c, s, aa, cc, ac)):
                sums[index] += weight * value
        for index in range(3):
            estimates[index, row] = sums[index]
        estimates[3, row] = (sums[3] - sums[0] * sums[0]) / records
        estimates[4, row] = (sums[4] - sums[1] * sums[1]) / records
        estimates[5, row] = (sums[5] - sums[0] * sums[1]) / records


@compile_kernel_helper
def _fill_monomials(scores, classes, values):
    """Fills `values` with the monomials of z(S), z(A) and z(C), and the indicators of the classes: group by cell by
    value."""
    for group in range(2):
        for cell in range(len(classes)):
            a, c, s = scores[0, group, cell], scores[1, group, cell], scores[2, group, cell]
            value = values[group, cell]
            for index in range(INDICATORS):
                product = 1.0
                for _ in range(EXPONENTS[index, 0]):
                    product *= s
                for _ in range(EXPONENTS[index, 1]):
                    product *= a
                for _ in range(EXPONENTS[index, 2]):
                    product *= c
                value[index] = product
            for of in range(3):
                value[INDICATORS + of] = 1.0 if classes[cell] == of else 0.0


@compile_kernel_helper
def _multiply_mean_scores(table, row, tests, values):
    """Multiplies the monomials in `values`, in place, by the mean of the product of the scored parts' scores, given the
    true cell."""
    for part in range(len(table.scored)):
        bit = table.scored[part]
        for index in range(INDICATORS):
            power = EXPONENTS[index, 0]
            # A support is the confidence of everybody -> S, and everybody has no scores.
            if tests > 1:
                power += EXPONENTS[index, 1 + table.sides[bit]]
            if not power:
                continue
            for cell in range(values.shape[1]):
                has = cell >> bit & 1
                values[0, cell, index] *= has
                values[1, cell, index] *= table.moments[part, has, power, row]


@compile_kernel_helper
def _fill_mean_slopes(values, p, changes):
    """Fills `changes` with the increase of each mean, up to degree 2, per unit of the true share of people with all
    parts: group by monomial."""
    many = values.shape[1]
    slope = 1.0
    for section in range(len(p)):
        slope *= p[section]
    for group in range(2):
        for index in range(DEGREE_2):
            total = 0.0
            for cell in range(many):
                lacking, odd = (many - 1) ^ cell, 0
                while lacking:
                    odd ^= lacking & 1
                    lacking >>= 1
                total += -values[group, cell, index] if odd else values[group, cell, index]
            changes[group, index] = total * (slope if group else 1.0)


@compile_kernel_helper
def _fill_class_by_cell(sides, tests, classes, alone):
    """Fills `classes` with the class of each cell, and `alone` with the cell that stands for each class if it is
    empty."""
    a_bits, c_bits, every = _side_bits(sides)
    alone[BOTH], alone[ONLY_A], alone[ONLY_C], alone[REST] = every, a_bits, c_bits, 0
    for cell in range(len(classes)):
        classes[cell] = (cell & a_bits != a_bits) * 2 + (cell & c_bits != c_bits)
    if tests == 1:
        alone[ONLY_A] = alone[ONLY_C] = 0
        for cell in range(len(classes)):
            classes[cell] = BOTH if cell == every else ONLY_A


@compile_kernel_helper
def _fill_disguise_of_row(table, row, tests, left_out, classes, law):
    """Fills `law` for one row, in place: keep and noise probabilities, scores, monomials, and the slopes of their
    means."""
    p, q, scores, values, changes = law
    # Not as slices: numba would compile what puts an error's message together.
    for section in range(len(p)):
        p[section] = table.keep[section, min(row, table.keep.shape[1] - 1)]
    for bit in range(len(q)):
        q[bit] = table.noise[bit, min(row, table.noise.shape[1] - 1)]
    _fill_scores(table, row, left_out, scores)
    if tests == 1:
        for cell in range(len(classes)):
            for group in range(2):
                scores[0, group, cell] = scores[1, group, cell] = 1.0
    _fill_monomials(scores, classes, values)
    if left_out:
        _multiply_mean_scores(table, row, tests, values)
    else:
        _fill_mean_slopes(values, p, changes)


@compile_kernel_helper
def _fill_received_means(classes, values, weight, counts, received, few, mean_received):
    """Fills `few` with the number of received records of each class, and `mean_received` with the means of the
    monomials up to degree 2."""
    for of in range(len(few)):
        few[of] = 0.0
    for index in range(DEGREE_2):
        mean_received[index] = 0.0
    for cell in range(len(classes)):
        for group in range(2):
            if classes[cell] < REST:
                few[classes[cell]] += counts[group, cell]
            share = weight[group] * received[group, cell]
            for index in range(DEGREE_2):
                mean_received[index] += share * values[group, cell, index]


@compile_cached
def fill_test_rows(table, estimates, rows):
    """Fills `rows` with what the score tests of a table need: row by test (OF_A, OF_C, OF_LIFT) by index of a value.

    If there is one test, it is that of the support of S, as the confidence of the rule everybody -> S.
    """
    many, tests, left_out = table.at_least.shape[0], rows.shape[1], 0
    for bit in table.scored:
        left_out |= 1 << bit
    classes, alone = np.empty(many, np.int64), np.empty(4, np.int64)
    _fill_class_by_cell(table.sides, tests, classes, alone)
    counts, received, true = np.empty((2, many)), np.empty((2, many)), np.empty((2, many))
    chances, total = np.empty((4, 2, many)), np.empty((4, 2))
    p, q = np.empty(len(table.keep)), np.empty(len(table.noise))
    values, changes = np.empty((2, many, VALUES)), np.zeros((2, DEGREE_2))
    law = (p, q, np.empty((3, 2, many)), values, changes)
    means, linear, weight = np.empty((2, 4, VALUES)), np.empty((3, VALUES)), np.empty(2)
    # Of an S with parts of scores the law alone gives the variance, and no count is few.
    few, mean_received = np.full(3, np.inf), np.zeros(DEGREE_2)
    laws = max(table.keep.shape[1], table.noise.shape[1])
    # A class of one cell has the same means in every row of one law.
    is_divided = many > (4 if tests > 1 else 2)
    for row in range(table.at_least.shape[2]):
        has_new_law = row == 0 or laws > 1 or left_out
        if has_new_law:
            _fill_disguise_of_row(table, row, tests, left_out, classes, law)
        _fill_exact_counts(table.at_least, row, counts)
        records = table.at_least[0, 0, row] + table.at_least[0, 1, row]
        for group in range(2):
            weight[group] = table.at_least[0, group, row] / max(records, 1.0)
            for cell in range(many):
                received[group, cell] = counts[group, cell] / max(table.at_least[0, group, row], 1.0)
            fill_true_shares(received[group], group, table.sections, p, q, true[group])
        if not left_out:
            _fill_received_means(classes, values, weight, counts, received, few, mean_received)
        _fill_class_totals(true, classes, total)
        if has_new_law or is_divided:
            _fill_class_chances(true, total, classes, alone, table.sections, p, q, chances)
            _fill_class_means(chances, values, means)
        for test in range(tests):
            target = rows[row, test]
            _fill_weights_and_goals(test, tests, row, weight, total, estimates, target)
            target[place.RECORDS], target[place.PER_RECORD] = records, 1 / records
            target[place.ALL_OF_S] = few[BOTH]
            target[place.LACKING] = np.inf if test == OF_LIFT else few[ONLY_C if test == OF_C else ONLY_A]
            f, g = _base_score_factors(test, row, estimates)
            _fill_score_powers_to_degree_2(mean_received, f, g, target, place.RECEIVED)
            for group in range(2):
                _fill_score_powers_to_degree_2(changes[group], f, g, target, place.LOWERED + group * UP_TO_2)
                _fill_mean_coefficients(test, group, means[group], f, g, linear, target)


@compile_kernel_helper
def _fill_class_means(chances, value, means):
    """Fills `means` with the mean of each monomial and indicator among the received records of each true class.

    `means` is group by class by value.
    """
    for group in range(2):
        for of in range(4):
            mean = means[group, of]
            for index in range(VALUES):
                mean[index] = 0.0
            for cell in range(value.shape[1]):
                chance = chances[of, group, cell]
                if chance != 0:
                    for index in range(VALUES):
                        mean[index] += chance * value[group, cell, index]


@compile_kernel_helper
def _fill_mean_coefficients(test, group, means, f, g, linear, target):
    """Writes the coefficients K, L and M of a group's means to `target`. With s the share of S: A - s have A without C,
    o have C without A, and 1 - A - o neither."""
    first, second = (ONLY_C, ONLY_A) if test == OF_C else (ONLY_A, ONLY_C)
    antecedent = target[place.ANTECEDENT + group]
    of_both, of_first, of_second, of_rest = means[BOTH], means[first], means[second], means[REST]
    for index in range(VALUES):
        linear[0, index] = antecedent * of_first[index] + (1 - antecedent) * of_rest[index]
        linear[1, index] = of_both[index] - of_first[index]
        linear[2, index] = of_second[index] - of_rest[index]
    for of in range(3):
        at = place.MEANS + (3 * group + of) * FUNCTIONS
        _fill_score_powers_to_degree_2(linear[of], f, g, target, at)
        _fill_score_powers_of_degree_3(linear[of], f, g, target, at)
        target[at + place.IS_ALL_OF_S] = linear[of, INDICATORS + BOTH]
        target[at + place.IS_LACKING] = linear[of, INDICATORS + first]


@compile_kernel_helper
def _fill_weights_and_goals(test, tests, row, weight, total, estimates, target):
    """Writes the first values of a test's row to `target`: weights, shares and goals (table in docs/mathematics.md,
    Score test)."""
    pa, pc, ps = estimates[0, row], estimates[1, row], estimates[2, row]
    wanted_a, wanted_c = 0.0, 0.0
    for group in range(2):
        both = total[BOTH, group]
        # A support's classes are all of S and A without C, and A is everybody.
        a = both + total[ONLY_A, group] if tests > 1 else 1.0
        c = both + total[ONLY_C, group] if tests > 1 else 0.0
        if test == OF_C:
            a, c = c, a
        target[place.WEIGHT + group], target[place.SHARE + group] = weight[group], both
        target[place.ANTECEDENT + group], target[place.CONSEQUENT + group] = a, c
        is_lift = test == OF_LIFT
        target[place.LOW + group] = max(0.0, a + c - 1) if is_lift else 0.0
        target[place.HIGH + group] = min(a, c) if is_lift else a
        target[place.UNIT + group] = a * c if is_lift else a
        wanted_a += weight[group] * a
        wanted_c += weight[group] * c
    target[place.ESTIMATE] = ps
    if test == OF_LIFT:
        cov = estimates[5, row]
        target[place.TOTAL] = wanted_a * wanted_c
        target[place.BELOW], target[place.GOAL] = pa * pc - cov, pa * pc
        target[place.MOST] = max(ps, min(pa, pc))
        target[place.SPREAD] = abs(estimates[3, row] * estimates[4, row]) + cov**2
        return
    given = pc if test == OF_C else pa
    target[place.TOTAL] = wanted_a
    target[place.BELOW] = target[place.GOAL] = given
    target[place.MOST], target[place.SPREAD] = np.inf, 0.0


def load_machine_code() -> None:
    """Loads the machine code of these loops; compiles it if no process has done so yet."""
    no_rows, law, none = np.ones((2, 2, 0)), np.ones((1, 1)), np.zeros(0, np.int64)
    table = TableArrays(
        no_rows, none[:0], np.zeros((0, 3), np.int64), law, law, none, no_rows, np.ones((0, 2, 1, 0))
    )
    with machine_code_cache.compile_once("score-moments"):
        fill_estimates(table, np.ones((6, 0)))
        fill_test_rows(table, np.ones((6, 0)), np.ones((0, 1, place.WIDTH)))
