"""The short soak: each fault on one stack; `./run bench soak` brings all on both (bench/figures/reliability.md)."""

import os
import secrets

from tests.soak import faults
from tests.soak.soak import Outcome, soak

RATE = 6.0
"""Respondents a second: some twenty sealings during the faults."""


def each_fault_once(stack: str) -> Outcome:
    seed = int(os.environ.get("SOAK_SEED", secrets.randbelow(10**6)))
    print(f"SOAK_SEED={seed} brings the same faults in the same order")
    known = faults.once(stack)
    outcome = soak(stack, 0, seed, RATE, known)
    for fault, times, _expectation, observed in outcome.rows():
        print(f"{times} × {fault}: {observed}")
    for check in outcome.checks:
        print(f"{check.what}: {check.observed}")
    assert {struck.fault for struck in outcome.struck} == set(known) or outcome.broken
    return outcome
