"""The criteria by their definitions, over lists of sensitive values, in fractions."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from math import log

from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.anonymity.tables.table import Table


def diverse(values: Sequence[Hashable], asked: Diversity) -> bool:
    counts = sorted(Counter(values).values(), reverse=True)
    if len(counts) < asked.least:
        return False
    if asked.kind is DiversityKind.ENTROPY:
        return -sum(c / len(values) * log(c / len(values)) for c in counts) >= log(asked.least) - 1e-9
    if asked.kind is DiversityKind.RECURSIVE:
        return counts[0] < Fraction(asked.c, 10_000) * sum(counts[asked.least - 1 :])
    return True


def distance(values: Sequence[int], everybody: Sequence[int], possible: int, ordered: bool) -> Fraction:
    """Earth mover's distance of the values of a class to those of everybody."""
    moved, carried = Fraction(0), Fraction(0)
    for value in range(possible):
        difference = Fraction(values.count(value), len(values)) - Fraction(
            everybody.count(value), len(everybody)
        )
        carried += difference
        moved += abs(carried) / (possible - 1) if ordered else abs(difference) / 2
    return moved


def breached(values: Sequence[int], everybody: Sequence[int], low: Fraction, high: Fraction) -> bool:
    """Over every set of values."""
    occurring = sorted(set(everybody))
    for size in range(len(occurring) + 1):
        for chosen in combinations(occurring, size):
            before = Fraction(sum(map(everybody.count, chosen)), len(everybody))
            after = Fraction(sum(map(values.count, chosen)), len(values))
            if (before <= low and after >= high) or (before >= high and after <= low):
                return True
    return False


def keeps(table: Table, said: Specification, members: Sequence[int]) -> bool:
    """Whether these records are a class that keeps every criterion."""
    criteria: Criteria = said.criteria
    if len(members) < criteria.k:
        return False
    for place, (column, sensitive) in enumerate(zip(table.sensitive, said.sensitive, strict=True)):
        everybody = column.codes.tolist()
        values = [everybody[record] for record in members]
        if criteria.diversity:
            groups = defaultdict(list)
            for record in members:
                rest = [other.codes[record] for at, other in enumerate(table.sensitive) if at != place]
                groups[tuple(rest) if criteria.diversity.joint else ()].append(everybody[record])
            if not all(diverse(group, criteria.diversity) for group in groups.values()):
                return False
        cap = criteria.max_frequency
        if cap is not None and max(Counter(values).values()) > Fraction(cap, 10_000) * len(values):
            return False
        if criteria.closeness is not None:
            far = distance(values, everybody, len(column.texts), bool(sensitive.order))
            if len(column.texts) > 1 and far > Fraction(criteria.closeness, 10_000):
                return False
        if criteria.breach and breached(
            values, everybody, *(Fraction(share, 10_000) for share in criteria.breach)
        ):
            return False
    return True
