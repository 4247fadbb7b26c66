"""What a report says it was not made of, `told` of report.json: from a verdict, and back."""

import json
from collections.abc import Iterable
from pathlib import Path

from mining.disclosure.verdict import Verdict
from mining.document.codec import load
from mining.document.names import Names
from mining.document.report import HiddenClasses, Told
from privacy.designs import Design, InputError
from privacy.grammar.input_error import marked as _

LARGEST_REPORT = 1 << 26


def told_of(verdict: Verdict, names: Names) -> Told:
    questions = verdict.design.questions

    def answers(index: int, states: Iterable[int]) -> tuple[str | None, ...]:
        return tuple(
            names.name((index, code)) if code < questions[index].codes else None for code in sorted(states)
        )

    hidden = tuple(
        HiddenClasses(questions[index].name, answers(index, states))
        for index, states in sorted(verdict.hidden.items())
        if states
    )
    sets = sorted(tuple(questions[index].name for index in table) for table in verdict.untold)
    return Told(hidden, tuple(sets))


def verdict_of(told: Told, names: Names) -> Verdict:
    """KeyError where the report is of another design."""
    hidden = {}
    for classes in told.hidden:
        index = names.place(classes.question)
        nowhere = names.design.questions[index].codes
        hidden[index] = frozenset(
            nowhere if answer is None else names.item(answer)[1] for answer in classes.answers
        )
    untold = frozenset(tuple(sorted(map(names.place, questions))) for questions in told.questions)
    return Verdict(names.design, hidden, untold=untold)


def read_report(path: Path, mined: Design) -> Verdict:
    """The verdict of the report in this file, whose survey has this mined design."""
    try:
        with path.open("rb") as file:
            document = json.loads(file.read(LARGEST_REPORT))
        return verdict_of(load(Told, document["told"]), Names(mined))
    except OSError as error:
        raise InputError(str(path), _("cannot be read (%(what)s)"), what=error.strerror) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InputError(
            str(path), _("is no report.json of a survey with this design, or says nothing of `told`")
        ) from None
