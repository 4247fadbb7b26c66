"""How many copies of one record would go unnoticed (docs/mathematics.md, Forged records; the test: `identical`)."""

from math import comb, prod

from mining.disclosure.plain_tables import plain_places
from mining.error.identical import tail_of_copies
from privacy.designs import Design


def unnoticed_copies(design: Design, n: int, level: float) -> int | None:
    """The most copies among n disguised records that the test of a batch or a pool may not find; None: it finds none.

    `level` is the test's. One more is always found, whatever the others sent.
    """
    # Single parts have half of what all sets have, and all sets half where classes of plain answers are tested, too.
    level = level / 4 if plain_places(design.mined) else level / 2
    least = least_found(n, largest_chance(design), level)
    return None if least is None else least - 1


def least_found(n: int, chance: float, level: float) -> int | None:
    """The least number of equal records that is found, if each is sent with at most this chance."""
    if n < 1 or tail_of_copies(n, n, chance) > level:
        return None
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail_of_copies(middle, n, chance) <= level else (middle, high)
    return high


def largest_chance(design: Design) -> float:
    """m(y) of the sensitive part that is sent most easily, over all draws and answers."""
    chance = 1.0
    for section in design.mined.sections:
        law = section.itemset_law
        if law is None:
            continue
        hideable = [bool(question.show_if) for question in section.questions]
        likeliest = sorted(
            (1.0 if hidden else float(max(noise)) for hidden, noise in zip(hideable, law.noise, strict=True)),
            reverse=True,
        )
        # Where a rule hides a number none of its questions is drawn, for certain.
        none_drawn = all(hideable) and section.questions[0].asked_if_shown
        ways = 1 if none_drawn else comb(len(section.questions), law.asked)
        keep = float(law.keep)
        chance *= (keep + (1 - keep) * prod(likeliest[: law.asked])) / ways
    return chance
