"""What a publication leaves of a sensitive number: everything said of everybody, or of a class, or nothing of it."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from mining.document.numbers import NumberClasses, NumberEstimates, NumberNode, NumberShare

NO_NUMBERS = NumberEstimates(n_asked=None, n_open=None)


def told_number(node: NumberNode, *, everybody: bool, classes: Mapping[str, Collection[int]]) -> NumberNode:
    """`everybody`: whether the estimates of all may be told; `classes`: by plain question the classes whose may be."""
    of_all = _told(node.all_records) if everybody else NO_NUMBERS
    return replace(
        node,
        all_records=of_all,
        truth=None if of_all == NO_NUMBERS else node.truth,
        groups=tuple(_told_classes(group, classes[group.question]) for group in node.groups),
    )


def _told_classes(group: NumberClasses, told: Collection[int]) -> NumberClasses:
    rows = enumerate(group.classes)
    return replace(group, classes=tuple(_told(one) if code in told else NO_NUMBERS for code, one in rows))


def _told(estimates: NumberEstimates) -> NumberEstimates:
    """Without the counts of what has no estimate."""
    if not estimates.is_known:
        return NO_NUMBERS
    return replace(estimates, shares=_estimated(estimates.shares), classes=_estimated(estimates.classes))


def _estimated(shares: tuple[NumberShare, ...]) -> tuple[NumberShare, ...]:
    return tuple(one if one.share is not None else replace(one, n_asked=None) for one in shares)
