"""candor plan."""

import json
from math import erfc, sqrt
from typing import Any

import pytest

from privacy.designs import parse_design
from privacy.designs.hypothesis_plan import parse_plan
from surveys.questionnaire.hypotheses import HypothesisSubjects
from tests.mining.studies.commands.test_commands import AGE, SEX, SURVEY, folder
from tests.privacy.questionnaires import HALF, drawn_question, make_design, plain, question, sensitive
from tests.runs.sealed import Folder

pytestmark = pytest.mark.proof
__all__ = ["folder"]
SALT = "0123456789abcdef" * 2
SHARE = {"name": "many steal", "kind": "share", "item": "theft=yes", "than": "0.1000"}
ARMS = {"name": "more in disguise", "kind": "arms", "item": "theft=yes"}
VERSION = {"name": "wording", "kind": "version", "item": "theft=yes", "by": "version"}
SIDES = {"antecedent": ["theft=yes"], "consequent": ["lying=yes"]}
ASSOCIATION = {"name": "thieves lie", "kind": "association", **SIDES}
MODEL = {"model": "linear", "covariates": ["sex"], "of": "sex=m"}
COEFFICIENT = {"name": "men steal less", "kind": "coefficient", "item": "theft=yes", **MODEL}
TESTED = ("plan", "plan.json", "design.json", "records.csv")


def plan(*hypotheses: dict[str, Any]) -> dict[str, Any]:
    return {"format": "candor-plan/1", "salt": SALT, "hypotheses": list(hypotheses)}


def plan_hash(of: dict[str, Any]) -> str:
    return parse_plan(json.dumps(of)).fingerprint


def freeze_files(
    folder: Folder, design: dict[str, Any], records: list[str], *hypotheses: dict[str, Any]
) -> Folder:
    of = plan(*hypotheses)
    return folder.write_all(plan=of, design={**design, "plan": plan_hash(of)}, records=records)


def results(
    folder: Folder,
    *hypotheses: dict[str, Any],
    design: dict[str, Any] | None = None,
    records: list[str] | None = None,
) -> list[dict[str, Any]]:
    found = freeze_files(folder, design or DESIGN, records or RECORDS, *hypotheses).run(*TESTED).output
    assert list(found) == ["sha256", "hypotheses"]
    return list(found["hypotheses"])


# One section: by version and sex, theft and lying as received.
DESIGN = make_design(
    plain(SEX, drawn_question("version", *HALF)),
    sensitive("0.5", question("theft", *HALF), question("lying", *HALF)),
    open_answers=False,
    direct="0.5",
)
HEADER = "group,sex,version,theft,lying"


def cell(start: str, *counts: int) -> list[str]:
    both = ("yes,yes", "yes,no", "no,yes", "no,no")
    return [f"{start},{answers}" for answers, n in zip(both, counts, strict=True) for _ in range(n)]


WOMEN, MEN, DIRECT = (60, 40, 40, 60), (30, 50, 50, 70), (10, 10, 10, 170)
RECORDS = [HEADER]
for version in "ab":
    RECORDS += cell(f"disguised,f,{version}", *WOMEN) + cell(f"disguised,m,{version}", *MEN)
RECORDS += cell("direct,f,a", *DIRECT) + cell("direct,m,b", *DIRECT)
IN_EVERY_CELL = RECORDS + cell("direct,m,a", *DIRECT) + cell("direct,f,b", *DIRECT)
"""With both versions of both sexes in the direct arm, too."""


def test_plan_command_without_records_prints_the_hash(folder: Folder) -> None:
    of = plan(SHARE)
    assert folder.write_all(plan=of).run("plan", "plan.json").output == {"sha256": plan_hash(of)}


def test_every_kind_of_hypothesis_is_tested(folder: Folder) -> None:
    """Theft: disguised 360 of 800 received, so .4; direct .1; f .5 and m .3 in each version."""
    found = results(folder, SHARE, ARMS, VERSION, ASSOCIATION, COEFFICIENT)
    assert [of["kind"] for of in found] == ["share", "arms", "version", "association", "coefficient"]
    assert {key: found[0][key] for key in SHARE} == SHARE
    assert list(found[0]) == [*SHARE, "estimate", "p", "holm", "met", "why", "reason"]
    assert [[*of][-2:] for of in found[1:]] == [["low", "high"]] * 4
    share, arms, version, association, coefficient = found
    estimates = [of["estimate"] for of in (share, arms, version, coefficient)]
    assert estimates == pytest.approx([0.4, 0.3, 0.0, -0.2])
    assert [(of["why"], of["reason"]) for of in found] == [(None, None)] * 5
    assert version["p"] == pytest.approx(1)
    assert association["estimate"] > 0
    # Holm over the plan alone: five hypotheses.
    assert min(of["holm"] for of in found) == pytest.approx(5 * min(of["p"] for of in found))
    # Met where the interval at 1 - .05/5 excludes no effect; of a share where p is at most .05/5.
    assert [of["met"] for of in found] == [of["p"] <= 0.05 / 5 for of in found]
    for of, nothing in ((arms, 0), (version, 0), (coefficient, 0), (association, 1)):
        assert of["met"] == (of["low"] > nothing or of["high"] < nothing)
    assert share["met"]
    assert not version["met"]


def test_plain_shares_are_tested_exactly_and_equal_ones_have_p_1(folder: Folder) -> None:
    """60 of 100 are women; of 100 fair coins at least 60 or at most 40 heads come with .0569."""
    design = make_design(plain(SEX), SURVEY["sections"][1])
    records = ["group,sex,theft", *["disguised,f,no"] * 60, *["disguised,m,no"] * 40]
    women = {"name": "half are women", "kind": "share", "item": "sex=f", "than": "0.5"}
    (found,) = results(folder, women, design=design, records=records)
    assert (found["estimate"], found["p"]) == pytest.approx((0.6, 0.0568879))
    (found,) = results(folder, {**SHARE, "than": "0.4"})
    assert found["p"] == pytest.approx(1)


def test_plan_coefficients_by_hand(folder: Folder) -> None:
    (found,) = results(folder, COEFFICIENT)
    # Scores of received .5 and .4 of 400 each, variance y (1-y) / p^2, and n / (n-k) = 800 / 798.
    se = sqrt((0.5 * 0.5 + 0.4 * 0.6) / 0.25 / 400 * 800 / 798)
    assert found["p"] == pytest.approx(erfc(0.2 / se / sqrt(2)))
    # A product with the arm is how much more a covariate matters in disguise: .5 of f and .3 of m; directly .1 of both.
    product = {**COEFFICIENT, "covariates": ["sex", "arm", "sex*arm"], "of": "sex=m*arm"}
    assert results(folder, product)[0]["estimate"] == pytest.approx(-0.2)
    # A covariate that the coefficient names alone is a number: .3, .5, .7: .2 a step.
    yes_of = zip(AGE["choices"], (40, 50, 60), strict=True)
    by_age = [f"disguised,{age},f,{'yes' if n < yes else 'no'}" for age, yes in yes_of for n in range(100)]
    number = {**COEFFICIENT, "covariates": ["age"], "of": "age"}
    (found,) = results(folder, number, design=SURVEY, records=["group,age,sex,theft", *by_age])
    assert found["estimate"] == pytest.approx(0.2)


def test_every_coefficient_the_builder_lists_is_in_the_model(folder: Folder) -> None:
    covariates = ["version", "arm", "sex", "arm*sex", "sex*version"]
    listed = HypothesisSubjects(parse_design(json.dumps(DESIGN))).coefficients_of_covariates(covariates)
    names = [name for of in covariates for name in listed[of]]
    assert names == ["version=b", "arm", "sex=m", "sex=m*arm", "version=b*sex=m"]
    every = [{**COEFFICIENT, "name": name, "covariates": covariates, "of": name} for name in names]
    found = results(folder, *every, records=IN_EVERY_CELL)
    assert [(of["of"], of["why"]) for of in found] == [(name, None) for name in names]


def test_uncomputable_hypothesis_counts_as_one_with_its_reason(folder: Folder) -> None:
    reasons = (
        ({**VERSION, "name": "1", "by": "sex"}, "by: 'sex' is not drawn from two choices"),
        ({**ARMS, "name": "2", "item": "sex=m"}, "arms: 'sex=m' is not disguised in either arm"),
        ({**ASSOCIATION, "name": "3", "consequent": ["theft=no"]}, "association: names a question twice"),
        ({**COEFFICIENT, "name": "4", "of": "sex=f"}, "of: the model has no coefficient 'sex=f'"),
        ({**COEFFICIENT, "name": "5", "item": "sex=m"}, "item: 'sex=m' is not disguised"),
    )
    every = [hypothesis for hypothesis, _why in reasons]
    found_of = results(folder, SHARE, *every)[1:]
    for found, (_hypothesis, why) in zip(found_of, reasons, strict=True):
        assert (found["p"], found["holm"], found["met"]) == (None, 1, False)
        assert found["why"].startswith(why)
    reason = found_of[0]["reason"]
    assert reason == {"text": "%(name)s is not drawn from two choices", "values": {"name": "'sex'"}}
    assert found_of[0]["why"] == f"by: {reason['text'] % reason['values']}"


def test_too_few_records_and_missing_arms_are_reasons(folder: Folder) -> None:
    few = [HEADER, *cell("disguised,f,a", 0, 0, 0, 20)]
    found = results(folder, SHARE, ARMS, VERSION, ASSOCIATION, records=few)
    assert [(of["p"], of["why"]) for of in found] == [(None, "too few records")] * 4
    assert [of["reason"] for of in found] == [{"text": "too few records", "values": {}}] * 4
    design = make_design(plain(SEX), SURVEY["sections"][1])
    (found_arms,) = results(folder, ARMS, design=design, records=["group,sex,theft", "disguised,f,yes"])
    assert found_arms["why"] == "arms: the design has no direct arm"


def test_invalid_plan_is_refused_with_the_reason(folder: Folder) -> None:
    freeze_files(folder, DESIGN, RECORDS, SHARE).write("plan.json", plan({**SHARE, "than": "0.2"}))
    assert "plan: its SHA-256 is not the one in the design" in folder.run(*TESTED).refusal
    for hypothesis, said in (
        ({**SHARE, "item": "murder=yes"}, "hypotheses[0]: the design has no answer 'murder=yes'"),
        ({**VERSION, "by": "wording"}, "hypotheses[0]: the design has no question 'wording'"),
    ):
        assert said in freeze_files(folder, DESIGN, RECORDS, hypothesis).run(*TESTED).refusal
    many = plan(*({**SHARE, "name": f"h{number}"} for number in range(21)))
    refusal = folder.write_all(plan=many).run("plan", "plan.json").refusal
    assert "plan.json: hypotheses: at most 20 hypotheses: leave some out" in refusal
    # A design without records is a mistake in use.
    assert folder.write_all(plan=plan(SHARE)).run("plan", "plan.json", "design.json").status == 2


CHANGE = {"name": "more steal now", "kind": "change", "item": "theft=yes", "direction": "more"}
BEFORE = make_design(plain(SEX), sensitive("0.8", question("theft", *HALF)), open_answers=False)
FORMER = ["group,sex,theft", *["disguised,f,yes"] * 60, *["disguised,m,no"] * 140]
WITH_EARLIER = (*TESTED, "earlier.json", "earlier.csv")


def test_change_is_tested_with_records_of_the_earlier_survey(folder: Folder) -> None:
    """Before (.3 - .1) / .8 = .25 of 200, now (360/800 - .25) / .5 = .4 of 800; `waves` has the same test."""
    later = {**DESIGN, "follows": parse_design(json.dumps(BEFORE)).fingerprint}
    folder.write_all(earlier=BEFORE).write_all(earlier=FORMER)
    more, less = CHANGE, {**CHANGE, "name": "fewer steal now", "direction": "less"}
    found = freeze_files(folder, later, RECORDS, more, less).run(*WITH_EARLIER).output["hypotheses"]
    assert [one["estimate"] for one in found] == pytest.approx([0.15, 0.15])
    waves = folder.run("waves", "earlier.json", "earlier.csv", "design.json", "records.csv").output
    (theft,) = (row for row in waves["items"] if row["item"] == "theft=yes")
    assert found[0]["p"] == pytest.approx(theft["p"])
    # At 1 - .05/2 the interval is wider, and lies above 0 as p <= .025 says.
    assert found[0]["low"] < theft["low"] < 0.15 < theft["high"] < found[0]["high"]
    assert [one["met"] for one in found] == [found[0]["p"] <= 0.025, False] == [True, False]
    # Without the earlier records it has no p, and others no survey's.
    (untested,) = results(folder, CHANGE, design=later)
    assert untested["why"] == "change: needs the records of the survey that this one follows"
    assert untested["reason"]["text"] == "needs the records of the survey that this one follows"
    other = freeze_files(folder, {**DESIGN, "follows": "f" * 64}, RECORDS, CHANGE).run(*WITH_EARLIER)
    assert "follows: the earlier records are not of the design that this one follows" in other.refusal
    without_records = folder.run(*WITH_EARLIER[:-1])
    assert (without_records.status, "RECORDS.csv is missing" in without_records.err) == (2, True)
    assert (
        "the design follows no earlier one"
        in freeze_files(folder, DESIGN, RECORDS, CHANGE).run(*TESTED).refusal
    )
