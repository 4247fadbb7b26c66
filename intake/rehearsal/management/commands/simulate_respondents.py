import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.lifecycle import record_counts
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed


def positive_integer(word: str) -> int:
    if not word.isdecimal() or not int(word):
        raise ArgumentTypeError(f"{word} is not a number of respondents")
    return int(word)


class Command(BaseCommand):
    help = "Let simulated respondents answer a rehearsal, through the same code path as a browser's record."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("survey", metavar="SURVEY", help="the last part of its address, or its number")
        parser.add_argument(
            "-n", type=positive_integer, required=True, metavar="N", help="how many respondents"
        )
        parser.add_argument("--seed", type=int, help="the same people, with the same disguise, again")

    def handle(self, *, survey: str, n: int, seed: int | None, **_: Any) -> None:
        from intake.rehearsal.respondent_simulation import simulate  # late for cost

        chosen = Survey.objects.filter(**{"pk" if survey.isdecimal() else "slug": survey}).first()
        if chosen is None:
            raise CommandError(f"there is no survey {survey}")
        try:
            stored = simulate(
                chosen, n, seed=seed, progress=lambda done, _n: self.stderr.write(f"{done} of {n}")
            )
        except NotAllowed as refusal:
            raise CommandError(str(refusal)) from None
        shown = record_counts.shown_counts_of_survey(chosen)
        waiting = {"at_least": shown.waiting_at_least, "at_most": shown.waiting_at_most}
        self.stdout.write(json.dumps({"stored": stored, "sealed": shown.sealed, "waiting": waiting}))
