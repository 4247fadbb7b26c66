"""How much do the methods beside *tree* and bottom-up lose on Adult, and in how much time? Run it twice: the first
run of a method compiles its kernels. ILP has the weights of the data.

With --pairs: how large is the exact variance of a pair of eight yes/no answers by other mechanisms of the same gamma?

python -m bench.other_methods [--suppression 0.02] [--pairs]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import comb

from bench.anonymity import LEAST
from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.searches.bottom_up_and_k_member import cluster_by_size_alone, cluster_k_member
from privacy.anonymity.searches.full_domain import anonymize_by_datafly, anonymize_by_samarati
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.sensitive_value_clustering import (
    anonymize_by_published_ilp,
    anonymize_by_value_clusters,
)
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.json_node import PARTS
from privacy.guarantee.expected_error import SupposedSupports
from privacy.guarantee.presets import PRESETS, best_section_law
from tests.privacy.anonymity.sample_tables import adult_specification, adult_table

Method = Callable[[Table, Specification], AnonymisedTable]
UTILITY: dict[str, Method] = {
    "k-member, k alone": lambda table, of: outcome_from_labels(
        table, cluster_by_size_alone(prepare_kernel_arrays(table, of))
    ),
    "k-member": lambda table, of: outcome_from_labels(
        table, cluster_k_member(prepare_kernel_arrays(table, of))
    ),
    "ilp, the paper's": anonymize_by_published_ilp,
    "ilp": anonymize_by_value_clusters,
    "ilp, values changed": lambda table, of: anonymize_by_value_clusters(
        table, replace(of, falsification=PARTS)
    ),
}
FULL_DOMAIN: dict[str, Method] = {"samarati": anonymize_by_samarati, "datafly": anonymize_by_datafly}


QUESTIONS = 8
SHARES = Fraction(1, 10), Fraction(3, 10)
"""Shares of yes; half as many say yes to both questions of a pair."""

PairMoment = Callable[[Fraction, Fraction, int], Fraction]
"""The second moment E z^2 of the score z of "yes to both" from one record, by gamma, the share of yes, and the number s
of drawn questions that the record holds."""


def whole_answers(gamma: Fraction, share: Fraction, asked: int) -> Fraction:
    """One of the 2^s combinations: the true one gamma times as often as each other, as Candor's sections send it."""
    return subset_selection(gamma, share, asked, size=1)


def subset_selection(gamma: Fraction, share: Fraction, asked: int, size: int = 0) -> Fraction:
    """A set of `size` of the 2^s combinations (Ye and Barg 2018), which has the true one gamma times as often; 0: the
    best size of two or more."""
    if not size:
        sizes = range(2, (1 << asked - 1) + 1)
        return min(subset_selection(gamma, share, asked, size) for size in sizes)
    cells, both = 1 << asked, 1 << asked - 2
    p = size * gamma / (size * gamma + cells - size)
    q = (size - p) / (cells - 1)

    def moment(is_yes: int) -> Fraction:
        others, total = Fraction(both - is_yes, cells - 1), Fraction(0)
        for is_sent, chance in ((1, p), (0, 1 - p)):
            drawn = size - is_sent
            # The hits among the other combinations have a hypergeometric distribution.
            variance = drawn * others * (1 - others) * Fraction(cells - 1 - drawn, cells - 2)
            total += chance * (variance + (drawn * others + is_sent * is_yes - q * both) ** 2)
        return total / (p - q) ** 2

    return share / 2 * moment(1) + (1 - share / 2) * moment(0)


def unary_encoding(gamma: Fraction, share: Fraction, asked: int) -> Fraction:
    """A bit for each of the 2^s combinations (Wang et al. 2017): the true one is 1 half of the time, another 1 of
    gamma + 1 times."""
    both, p, q = 1 << asked - 2, Fraction(1, 2), 1 / (gamma + 1)
    moments = [((both - yes) * q * (1 - q) + yes * p * (1 - p)) / (p - q) ** 2 + yes for yes in (0, 1)]
    return share / 2 * moments[1] + (1 - share / 2) * moments[0]


def hadamard(gamma: Fraction, share: Fraction, asked: int) -> Fraction:
    """One of the s + s(s-1)/2 products of one or two answers as signs (Cormode et al. 2018), drawn and then kept gamma
    times as often as turned."""
    return (1 + 2 * (2 * share - 1) + 3 * (asked + comb(asked, 2)) * ((gamma + 1) / (gamma - 1)) ** 2) / 16


def hypercube(gamma: Fraction, share: Fraction, asked: int) -> Fraction:
    """All s answers: each combination that differs from the true one in at most t answers is gamma times as probable as
    each other; the best t by which pairs can be estimated."""
    moments = []
    for most in range(asked):
        weights = [
            comb(asked, turned) * (gamma if turned <= most else Fraction(1)) for turned in range(asked + 1)
        ]
        # Of all s signs: the mean of their sum and, less s, of its square.
        sums = [asked - 2 * turned for turned in range(asked + 1)]
        total = sum(weights, start=Fraction(0))
        one = sum((w * each for w, each in zip(weights, sums, strict=True)), start=Fraction(0))
        two = sum((w * (each**2 - asked) for w, each in zip(weights, sums, strict=True)), start=Fraction(0))
        one, two = one / total / asked, two / total / (asked * (asked - 1))
        if one and two:
            sign, product = 2 * share - 1, 1 - 2 * share
            squares = 1 + 2 / one**2 + 1 / two**2
            mixed = 2 * sign + product + two * product / one**2 + 2 * sign / two
            moments.append((squares + 2 * mixed) / 16)
    return min(moments)


MECHANISMS: dict[str, PairMoment] = {
    "whole answers": whole_answers,
    "subset selection": subset_selection,
    "unary encoding": unary_encoding,
    "hadamard": hadamard,
    "hypercube": hypercube,
}


def pair_variance(moment: PairMoment, gamma: Fraction, share: Fraction, asked: int) -> Fraction:
    """Returns n se^2 of the support of a pair where a device draws `asked` of the questions."""
    drawn = Fraction(comb(QUESTIONS, 2), comb(asked, 2))
    return drawn * (moment(gamma, share, asked) - (share / 2) ** 2)


def print_pairs() -> None:
    noise = ((Fraction(1, 2),) * 2,) * QUESTIONS
    for preset in PRESETS.values():
        for share in SHARES:
            single = best_section_law(noise, preset.limit)
            supposed = SupposedSupports((float(share), float(share / 2)))
            planned = best_section_law(noise, preset.limit, pairs=supposed)
            assert single is not None
            assert planned is not None
            print(
                f"{preset.name}, gamma {preset.limit.gamma}, {float(share):.0%} say yes: n se^2 of a pair of eight"
            )
            for name, law in (("for single answers", single), ("for pairs", planned)):
                variance = pair_variance(whole_answers, law.gamma, share, law.asked)
                print(f"  Candor {name}: {float(variance):.3f}, asks {law.asked}")
            for name, moment in MECHANISMS.items():
                variance, asked = min(
                    (pair_variance(moment, preset.limit.gamma, share, asked), asked)
                    for asked in range(2, QUESTIONS + 1)
                )
                print(f"  {name}: {float(variance):.3f}, asks {asked}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suppression", default="0.02")
    parser.add_argument("--pairs", action="store_true")
    arguments = parser.parse_args()
    if arguments.pairs:
        print_pairs()
        return
    suppression = arguments.suppression
    table = adult_table()
    for k in LEAST:
        methods = [(name, method, 0) for name, method in UTILITY.items()]
        methods += [
            (name, method, share) for name, method in FULL_DOMAIN.items() for share in (0, suppression)
        ]
        for name, method, share in methods:
            specification = adult_specification(k=k, suppression=share)
            start = time.process_time()
            result = method(table, specification)
            spent = time.process_time() - start
            if name in FULL_DOMAIN:
                assert not any(violations(result.table, specification, result.partition.labels).values())
            loss = result.information_losses(replace(specification, weights="data"))
            print(
                f"Adult, k = {k}: {name} NCP {loss.ncp:.4f}, ILP {loss.ilp:.4f}, HASR {loss.hasr:.4f},",
                f"falsified {loss.falsified:.4f}, {loss.suppressed:.2%} left out of at most {share} in {spent:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
