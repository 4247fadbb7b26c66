"""What must be true after a soak, counted from what the database holds and what respondents were told."""

import email
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from intake.endpoint.accept import hashed
from tests.soak.console import Console, Stored
from tests.soak.load import ACKNOWLEDGED, REFUSED, Told

GROWTH, SLACK = 1.25, 32
"""Factor and MB by which the largest process of a kind may exceed, in the last third of a soak, that of the second."""

AT_ONCE = 10
"""Runs that are repeated at the same time."""

SEPARATOR = "-" * 79 + "\n"
"""Between the e-mails of one file."""


@dataclass(frozen=True)
class Check:
    what: str
    expected: str
    observed: str
    holds: bool


def none(what: str, wrong: Sequence[object], of: str = "") -> Check:
    """That there are none of these; where there are, the first few are named."""
    named = f": {', '.join(map(str, wrong[:5]))}" if wrong else ""
    return Check(what, "0", f"{len(wrong):,}{of}{named}", not wrong)


def of_records(told: Told, least: int, stored: Stored) -> Iterator[Check]:
    """Of the open survey."""
    times = Counter(int(text, 8) for text in stored.all)
    repeated = sum(n for status, n in told.statuses.items() if status not in (*ACKNOWLEDGED, REFUSED))
    yield Check("respondents", "", counted(told.ways), bool(told.acknowledged))
    yield Check("requests that broke or were refused for now, and were sent again", "", f"{repeated:,}", True)
    yield none("respondents who were never told what became of their record", ["?"] * told.unsure)
    yield none("statuses that no respondent's page knows", told.strange)
    lost = sorted(told.acknowledged - set(times))
    yield none("acknowledged records that are not stored", lost, f" of {len(told.acknowledged):,}")
    yield none("records stored more than once", [number for number, n in times.items() if n > 1])
    yield none("records stored and never acknowledged", sorted(set(times) - told.acknowledged))
    yield none("submission keys without a record, or the reverse", missing(len(stored.keys), len(times)))
    yield none(
        "sealed batches smaller than the least",
        [len(batch) for batch in stored.sealed if len(batch) < least],
        f" of {len(stored.sealed):,}",
    )


def missing(keys: int, records: int) -> list[str]:
    return [] if keys == records else [f"{keys:,} keys, {records:,} records"]


def of_invitations(told: Told, tokens: Sequence[str], stored: Stored) -> Iterator[Check]:
    """Of the survey by invitation: each invitation that was used was sent with two records at once."""
    times = Counter(int(text, 8) for text in stored.all)
    wrong = [token for token, numbers in told.invited.items() if [times[n] for n in numbers] != [1]]
    yield none(
        "invitations that did not take exactly one of two records", wrong, f" of {len(told.invited):,}"
    )
    acknowledged = {number for numbers in told.invited.values() for number in numbers}
    yield none("records of invitations stored and never acknowledged", sorted(set(times) - acknowledged))
    unused = {hashed(token) for token in tokens} - {hashed(token) for token in told.invited}
    yield none("invitations spent without being used, or the reverse", sorted(unused ^ set(stored.unspent)))


def of_runs(console: Console, started: int) -> Iterator[Check]:
    """Every run is done, or failed with a reason, and gives the same digits whenever it is started again."""
    runs = console.wait_for_runs()
    done = [run for run in runs.values() if run.state == "done" and run.digest]
    failed = [run for run in runs.values() if run.state == "failed" and run.problem]
    reasons = f": {counted(Counter(run.problem for run in failed))}" if failed else ""
    yield Check(
        "mining runs",
        "each done, or failed with a reason",
        f"{len(runs)}: {len(done)} done, {len(failed)} failed{reasons}",
        0 < started <= len(runs) == len(done) + len(failed) and bool(done),
    )
    # A run that failed has no digits yet: its first repetition gives them.
    keys = [run.key for run in done] + repeated(console, [run.key for run in failed])
    again = repeated(console, keys)
    digests = {run.key: run.digest for run in console.runs().values()}
    pairs = zip(keys, again, strict=True)
    differing = [key for key, other in pairs if not digests[key] or digests[key] != digests[other]]
    yield none("runs that gave other digits, or none, when started again", differing, f" of {len(keys)}")


def repeated(console: Console, keys: Sequence[int]) -> list[int]:
    """The runs that repeat these, over; some at once, so that waiting for them is bounded."""
    again: list[int] = []
    for begin in range(0, len(keys), AT_ONCE):
        again += [console.repeat(key) for key in keys[begin : begin + AT_ONCE]]
        console.wait_for_runs()
    return again


def of_letters(folder: Path) -> Iterator[Check]:
    """Each says who is told of what; the link in it is that of one report."""
    texts = [text for file in sorted(folder.iterdir()) for text in file.read_text().split(SEPARATOR)]
    letters = [email.message_from_string(text) for text in texts if text.strip()]
    sent = Counter((letter["To"], letter["Subject"], str(letter.get_payload())) for letter in letters)
    twice = [f"{subject} to {to}" for (to, subject, _text), n in sent.items() if n > 1]
    yield none("e-mails sent more than once", twice, f" of {len(letters)}")


@dataclass(frozen=True)
class Weight:
    """What a process held in memory at a moment."""

    role: str
    pid: int
    moment: float
    kilobytes: int


def of_memory(weights: Sequence[Weight]) -> Iterator[Check]:
    begin, end = (min(weight.moment for weight in weights), max(weight.moment for weight in weights))
    third = (end - begin) / 3
    for role in dict.fromkeys(weight.role for weight in weights):
        ours = [weight for weight in weights if weight.role == role]
        second = largest(weight for weight in ours if begin + third <= weight.moment < begin + 2 * third)
        last = largest(weight for weight in ours if weight.moment >= begin + 2 * third)
        bound = GROWTH * second + SLACK
        yield Check(
            f"largest resident memory in the last third: {role}",
            f"at most {bound:.0f} MB ({GROWTH:g} times the {second:.0f} MB of the second third, and {SLACK} MB)",
            f"{last:.0f} MB; the longest-lived process was watched for {lived(ours):.0f} s",
            0 < last <= bound,
        )


def largest(weights: Iterator[Weight]) -> float:
    """In MB."""
    return max((weight.kilobytes for weight in weights), default=0) / 1000


def lived(weights: Sequence[Weight]) -> float:
    first = {weight.pid: weight.moment for weight in reversed(weights)}
    return max(weight.moment - first[weight.pid] for weight in weights)


def counted(these: Counter[str]) -> str:
    return ", ".join(f"{n:,} × {what}" for what, n in these.most_common())
