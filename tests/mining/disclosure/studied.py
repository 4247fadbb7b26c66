"""A survey that is sealed, mined and published piece by piece, and read by somebody who may only view it."""

import json
from typing import Any

import numpy as np
from django.test import Client
from django.utils import timezone
from numpy.typing import NDArray

from accounts.models import Person
from intake.models import Batch
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.records.columns import pack
from reports.models import Decision, Review
from reports.review import deciding, publishing
from runs import starting
from runs.models import Run
from surveys.lifecycle import states as lifecycle
from surveys.models import Collaborator, Survey
from tests.runs import sealed
from tests.surveys.conftest import NOW


def silent(fraction: float | None, text: str = "", **values: object) -> None:
    """Progress that nobody looks at."""


class Study:
    """`stage` numbers, of every record, what was sealed before it."""

    def __init__(self, owner: Person, reviewer: Person, design: Design) -> None:
        self.owner, self.reviewer, self.design = owner, reviewer, design
        self.survey: Survey = sealed.survey(owner, design, [])
        self.group = np.zeros(0, np.uint8)
        self.codes = np.zeros((len(design.questions), 0), np.uint16)
        self.stage = np.zeros(0, np.intp)
        self.stages = 0

    def show(self, viewer: Person) -> None:
        Collaborator.objects.create(survey=self.survey, person=viewer, may_edit=False)

    def seal(self, group: NDArray[np.uint8], codes: NDArray[np.uint16]) -> None:
        n = len(group)
        number = Batch.objects.filter(survey=self.survey).count() + 1
        columns = pack(self.design, group, codes)
        Batch.objects.create(survey=self.survey, first=number, last=number, n=n, columns=columns)
        self.group = np.concatenate([self.group, group])
        self.codes = np.concatenate([self.codes, codes], axis=1)
        self.stage = np.concatenate([self.stage, np.full(n, self.stages)])
        self.stages += 1

    def finish(self) -> None:
        lifecycle.finish(self.survey, self.owner, NOW)

    def mine(self, wanted: Parameters) -> Run:
        run = starting.start(self.survey, self.owner, wanted, NOW)
        store = run.perform(silent)
        store()
        Run.objects.filter(pk=run.pk).update(state="done", started=NOW, finished=NOW)
        run.refresh_from_db()
        publishing.add_finished_runs(NOW)
        return run

    def publish(self, run: Run) -> None:
        """With every rule and the shares within the classes of every plain question."""
        review = Review.objects.get(run=run)
        rules = deciding.with_verdicts(run)
        if rules.exists():
            deciding.decide(review, self.reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)
        groups = [question.name for question in self.design.sections[0].questions]
        publishing.publish(review, self.reviewer, groups, "", timezone.now())

    def download(self, client: Client, run: Run) -> dict[str, Any]:
        answer = client.get(f"/reports/{run.pk}/files/json")
        assert answer.status_code == 200, answer.status_code
        report: dict[str, Any] = json.loads(answer.content)["report"]
        return report
