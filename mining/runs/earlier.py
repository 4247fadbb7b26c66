"""Runs that an earlier version of the mathematics made, and what they lack."""

import re

EVIDENCE = 5
"""From this version on a run has intervals after the search and evidence badges, tests rules by their score, and
estimates what joins plain and sensitive answers from those who chose disguise alone."""


def mathematics(version: str) -> int:
    """The number of the mathematics in a run's version, as in "mining 5, numpy 2.4.6"; 0 where there is none."""
    found = re.match(r"mining (\d+)", version)
    return int(found[1]) if found else 0


def is_earlier(version: str) -> bool:
    """Whether a run of this version was made before the evidence."""
    return mathematics(version) < EVIDENCE
