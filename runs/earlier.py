"""Runs of an earlier version of the mathematics."""

import re

EVIDENCE = 5
"""From this version on a run has intervals after the search and evidence badges, tests rules by their score, and
estimates itemsets of plain and sensitive answers from the disguised records alone."""


def mathematics(version: str) -> int:
    """The number of the mathematics in a run's version, as in "mining 5, numpy 2.4.6"; 0 where there is none."""
    found = re.match(r"mining (\d+)", version)
    return int(found[1]) if found else 0


def is_earlier(version: str) -> bool:
    """Whether a run of this version was made before the evidence."""
    return mathematics(version) < EVIDENCE
