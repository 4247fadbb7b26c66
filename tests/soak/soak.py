"""A soak: respondents, jobs and mining runs under load while one part after the other is killed, stopped, restarted.

Afterwards everything is counted: what was acknowledged against what is stored, runs, e-mails and memory.
"""

import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from statistics import median

from tests.intake import asked
from tests.soak import checks, faults
from tests.soak.checks import Check, Weight
from tests.soak.console import OVER, Console, Job, console
from tests.soak.faults import JOB, Fault
from tests.soak.load import DOUBLE, WAYS, Load
from tests.soak.system import System, running

ASKS = asked.design(least=20, digits=7)
RATE = 25.0
"""Respondents a second."""


@dataclass(frozen=True)
class Struck:
    """One fault: seconds until the product was healthy and until it had done a new job; the job that was hit.

    `ran`: whether that job was running when the fault came.
    """

    fault: Fault
    healthy: float
    next_job: float
    job: Job
    ran: bool

    @property
    def holds(self) -> bool:
        return (self.job.state, self.job.marks) == ("done", 1) and self.job.attempts <= self.fault.attempts


@dataclass
class Outcome:
    """`seconds` of faults under load; `struck` in their order; `broken`: why it ended early, where it did."""

    stack: str
    seed: int
    seconds: float = 0.0
    struck: list[Struck] = field(default_factory=list)
    weights: list[Weight] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, int, str, str]]:
        """Fault, times, expectation, what was observed."""
        for fault in faults.known(self.stack):
            of = [struck for struck in self.struck if struck.fault is fault]
            if of:
                yield f"{fault.part}: {fault.name}", len(of), fault.expectation, observed(of)

    @property
    def wrong(self) -> list[str]:
        """What was not as expected."""
        jobs = [
            f"{one.fault.part}, {one.fault.name}: the job that was hit is {one.job}"
            for one in self.struck
            if not one.holds
        ]
        return (
            self.broken
            + jobs
            + [f"{check.what}: {check.observed}" for check in self.checks if not check.holds]
        )


def observed(of: list[Struck]) -> str:
    attempts = Counter(struck.job.attempts for struck in of if struck.holds)
    done = ", ".join(f"{n} at attempt {attempt}" for attempt, n in sorted(attempts.items()))
    failed = sum(not struck.holds for struck in of)
    return (
        f"healthy after {spread([struck.healthy for struck in of])}, a new job done after another "
        f"{spread([struck.next_job for struck in of])}; job running when hit: {sum(struck.ran for struck in of)}; "
        f"done: {done or 'none'}" + (f"; otherwise: {failed}" if failed else "")
    )


def spread(seconds: list[float]) -> str:
    return f"{median(seconds):.1f} s (at most {max(seconds):.1f})"


def soak(
    stack: str, seconds: float, seed: int, rate: float = RATE, of: Sequence[Fault] | None = None
) -> Outcome:
    """For so long, and at least until each of these faults, all that are known by default, has come once; `rate`
    respondents a second."""
    outcome, random = Outcome(stack, seed), Random(seed)
    with running(stack) as system, console(system) as asking:
        system.wait_until_healthy()
        survey, slug, _none = asking.open(ASKS)
        tokens = max(100, round(2 * seconds * rate * WAYS[DOUBLE] / 100))
        invited, invited_slug, made = asking.open(ASKS, tokens)
        load = Load(system.port, ASKS, slug, (invited_slug, made), seed, rate)
        load.start()
        began = time.monotonic()
        try:
            with noted(outcome):
                asking.wait_for_a_batch(survey)
                for fault in drawn(of or faults.known(stack), seconds, random):
                    print(f"{stack}: {fault.part}, {fault.name}", flush=True)
                    outcome.struck.append(strike(system, asking, fault, survey, outcome, random))
                    weigh(system, outcome)
        finally:
            outcome.seconds = time.monotonic() - began
            load.stop()
        # What was taken in is counted, whatever made the faults end early.
        with noted(outcome):
            outcome.checks += checks.of_records(load.told, ASKS.least, asking.stored(survey))
            outcome.checks += checks.of_invitations(load.told, made, asking.stored(invited))
            outcome.checks += checks.of_runs(asking, started=len(outcome.struck))
            outcome.checks += checks.of_letters(system.letters)
            outcome.checks += checks.of_memory(outcome.weights)
            system.wait_until_healthy()
    return outcome


@contextmanager
def noted(outcome: Outcome) -> Iterator[None]:
    """Whatever ends a part early is told with what was found until then, and does not take that along."""
    try:
        yield
    except Exception as error:
        traceback.print_exc()
        outcome.broken.append(f"ended early: {type(error).__name__}: {error}")


def drawn(known: Sequence[Fault], seconds: float, random: Random) -> Iterator[Fault]:
    """All faults in a random order, and again in another one, until the time is over; each at least once."""
    end = time.monotonic() + seconds
    is_first = True
    while is_first or time.monotonic() < end:
        for fault in random.sample(known, len(known)):
            if is_first or time.monotonic() < end:
                yield fault
        is_first = False


def strike(
    system: System, asking: Console, fault: Fault, survey: int, outcome: Outcome, random: Random
) -> Struck:
    """A job is running and a mining run is starting when the fault comes; then the product recovers, and a new job is
    done."""
    lead = random.uniform(0.1, 0.4) if fault.at_the_end else JOB
    key = asking.start_job(JOB)
    job = asking.wait_for_job(key, "running", *OVER)
    if job.started:
        elapsed = (datetime.now(UTC) - job.started).total_seconds()
        time.sleep(max(0.0, JOB - lead - elapsed))
    # A minimum support of its own makes it another run than those before.
    asking.start_run(survey, min_support=0.05 + len(outcome.struck) / 10_000)
    came = datetime.now(UTC)
    fault.strike(system)
    healthy = system.wait_until_healthy()
    job = asking.wait_for_job(key, *OVER)
    since = time.monotonic()
    asking.wait_for_job(asking.start_job(0.25), *OVER)
    ran = job.finished is not None and job.finished > came
    return Struck(fault, healthy, time.monotonic() - since, job, ran)


def weigh(system: System, outcome: Outcome) -> None:
    moment = time.monotonic()
    outcome.weights += [Weight(role, pid, moment, kilobytes) for role, pid, kilobytes in system.memory()]
