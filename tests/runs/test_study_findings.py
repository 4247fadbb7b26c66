"""Runs of surveys with a study: they say what the commands say of the same records, whoever counts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounts.models import Person
from jobs.models import State
from privacy.designs import parse
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.runs.working import Folder

FILES = ("design.json", "records.csv")
MANY = 16


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys)


@pytest.fixture
def study(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])


def same(found: Any, said: Any) -> None:
    """Equal, numbers to 1e-12."""
    assert type(found) is type(said)
    if isinstance(said, dict):
        assert list(found) == list(said)
        for key, value in said.items():
            same(found[key], value)
    elif isinstance(said, list):
        assert len(found) == len(said)
        for one, other in zip(found, said, strict=True):
            same(one, other)
    else:
        assert found == (pytest.approx(said, rel=0, abs=1e-12) if isinstance(said, float) else said)


def sorted_by_key(value: Any) -> Any:
    """The database stores the keys of an object in an order of its own."""
    if isinstance(value, dict):
        return {key: sorted_by_key(value[key]) for key in sorted(value)}
    return [sorted_by_key(one) for one in value] if isinstance(value, list) else value


@pytest.mark.page
@pytest.mark.parametrize(
    "more", [pytest.param(0, id="histogram"), pytest.param(MANY, id="columns", marks=pytest.mark.night)]
)
def test_a_run_says_what_the_commands_say_of_the_same_records(
    more: int, owner: Person, ran: Ran, folder: Folder
) -> None:
    survey = sealed.study_survey(owner, sealed.study(plan=sealed.PLAN, more=more), [500, 300])
    run = ran(survey, max_size=2)
    assert run.state == State.DONE, run.problem
    sealed.write_files(survey, folder.folder, sealed.PLAN)
    arms = folder.run("arms", *FILES).said
    # The command knows no plan, whose hypothesis has the interval and Holm's p of the plan.
    planned = {one["item"]: one for one in run.findings["plan"]["hypotheses"] if one["kind"] == "arms"}
    assert planned
    for one, stored in zip(arms["items"], run.findings["arms"]["items"], strict=True):
        hypothesis = planned.get(one["item"])
        assert hypothesis or stored["holm"] <= one["holm"]
        changed = ("low", "high", "holm") if hypothesis else ("holm",)
        one.update({name: (hypothesis or stored)[name] for name in changed})
    same(sorted_by_key(run.findings["arms"]), sorted_by_key(arms))
    same(sorted_by_key(run.findings["controls"]), sorted_by_key(folder.run("controls", *FILES).said))
    found = dict(run.findings["plan"])
    assert found.pop("plan") == sealed.PLAN.as_json()
    same(sorted_by_key(found), sorted_by_key(folder.run("plan", "plan.json", *FILES).said))


@pytest.mark.page
def test_one_that_cannot_be_computed_counts_as_1_and_says_why(study: Survey, ran: Ran) -> None:
    *others, last = ran(study).findings["plan"]["hypotheses"]
    assert (last["p"], last["holm"], last["met"]) == (None, 1.0, False)
    assert last["why"] == "by: 'age' is not drawn from two choices"
    known = sorted(one["p"] for one in others)
    smallest = min(one["holm"] for one in others)
    # Six hypotheses, not five.
    assert smallest == pytest.approx(min(1.0, 6 * known[0]))


@pytest.mark.page
def test_figures_alone_are_stored_and_no_record(study: Survey, ran: Ran) -> None:
    """What is stored does not grow with the records."""
    arms = ran(study).findings["arms"]
    sealed.seal_study(study, 200)
    assert len(str(ran(study).findings["arms"])) == pytest.approx(len(str(arms)), rel=0.05)


@pytest.mark.page
def test_a_survey_without_a_study_has_none_of_it(survey: Survey, ran: Ran) -> None:
    assert not {"arms", "controls", "direct", "plan"} & set(ran(survey).findings)


@pytest.mark.page
def test_too_few_for_the_control_item_say_nothing(owner: Person, ran: Ran) -> None:
    few = sealed.study_survey(owner, sealed.study(), [])
    sealed.seal_study(few, 100, direct=80)
    findings = ran(few).findings
    # Nobody gave one of its answers, so that nothing may be told of it.
    assert findings["controls"] == {"item": "moon=yes", "known": 0.0, "withheld": True}
    assert findings["arms"]["direct"] == 80


@pytest.mark.page
def test_before_the_survey_is_finished_a_control_item_is_of_the_disguised_alone(
    owner: Person, ran: Ran
) -> None:
    """All six open records say *yes*."""
    changed = sealed.study_json(direct=None, open_answers=True)
    del changed["sections"][0]["questions"][1]
    few = sealed.survey(owner, parse(json.dumps(changed)), [])
    sealed.seal_study(few, 300, direct=6)
    run = ran(few)
    assert run.n_open == 0
    received = sealed.records(few)[1][4][6:] == 1
    seen = (np.mean(received) - 0.15) / 0.7
    assert run.findings["controls"]["seen"] == pytest.approx(seen)
