"""Open records by pattern, and which of them may be used (docs/mathematics.md, What leaves).

A pattern tells which conditions of the rules of sensitive questions a record meets. It is a function of the plain
answers alone, and all that people who know these can match with a row of open answers: the drawn questions are chance
that nobody else saw. So a true answer is tied to at least ten people if each pattern that is used has ten.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_tables import LEAST
from privacy.designs import Design
from privacy.grammar.question import ShowIfRule
from privacy.records.columns import Columns

Patterns = NDArray[np.bytes_]
"""By record the bits of the conditions that it meets, as a hexadecimal number."""


def conditions(design: Design) -> list[ShowIfRule]:
    """The distinct conditions of the rules of sensitive questions; `design` is the mined one."""
    sensitive = (
        question for section in design.sections if section.sensitive for question in section.questions
    )
    return sorted(
        {rule for question in sensitive for rule in question.show_if},
        key=lambda rule: (rule.place, sorted(rule.codes)),
    )


def patterns(part: Columns) -> Patterns:
    """The pattern of each record. .11 s for 12 rules and a million records."""
    design = part.design.mined
    rules = conditions(design)
    bits = np.zeros((part.n, max(len(rules), 1)), np.bool_)
    for column, rule in enumerate(rules):
        words = np.bitwise_or.reduce([part.choice(rule.place, code) for code in sorted(rule.codes)])
        bits[:, column] = np.unpackbits(words.view(np.uint8), count=part.n, bitorder="little")
    packed = np.packbits(bits, axis=1, bitorder="little")
    return packed.view(f"S{packed.shape[1]}").ravel()


def sizes(group: Patterns) -> Counter[str]:
    """How many records have each pattern, by its hexadecimal name."""
    names, counts = np.unique(group, return_counts=True)
    return Counter(dict(zip((name.hex() for name in names.tolist()), counts.tolist(), strict=True)))


def kept(sizes: Mapping[str, int]) -> frozenset[str]:
    """The patterns that are used: those of ten or more. Those left out have none or at least ten records in all."""
    by_size = sorted(sizes, key=lambda pattern: (sizes[pattern], pattern))
    out = sum(size < LEAST for size in sizes.values())
    while 0 < sum(sizes[pattern] for pattern in by_size[:out]) < LEAST and out < len(by_size):
        out += 1
    return frozenset(by_size[out:])


def is_kept(group: Patterns, names: frozenset[str]) -> NDArray[np.bool_]:
    """By record whether its pattern is used."""
    return np.isin(group, np.array([bytes.fromhex(name) for name in sorted(names)], group.dtype))
