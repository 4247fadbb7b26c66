"""The two lists of a run's rules, each a family of its own: pairs of answers, which the front page draws from, and the
ways to divide larger itemsets (docs/mathematics.md, False discoveries)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

PAIRS, LARGER = "pairs", "larger"


def list_of_rule(size: int, statements: Mapping[str, int]) -> str:
    """Returns the list, which is a family too, of a rule of so many answers: PAIRS or LARGER.

    `statements`: number of statements by family. Without LARGER they are of an earlier version, which has one list.
    """
    return LARGER if size > 2 and LARGER in statements else PAIRS


def places_in_lists(sizes: Iterable[int], statements: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yields the place (list, number from 1) of each rule, from the numbers of answers of rules in their order."""
    last = Counter[str]()
    for size in sizes:
        name = list_of_rule(size, statements)
        last[name] += 1
        yield name, last[name]
