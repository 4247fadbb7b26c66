"""Plans: read, canonical form, hash, and one line for each thing that is wrong."""

import json
from hashlib import sha256
from typing import Any

from privacy.designs.hypothesis_plan import check_plan, check_plan_fingerprint, parse_plan
from privacy.designs.repeated_questions import comparable_results, reported_changes
from tests.privacy.questionnaires import (
    HALF,
    UNDERSTOOD,
    design,
    drawn_question,
    plain,
    question,
    refusal,
    refused_otherwise,
    sensitive,
    window,
)

ASKED = (
    plain({"name": "sex", "choices": ["f", "m"]}, {"name": "version", "choices": ["a", "b"]}),
    sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)),
)
STUDY = design(*ASKED, follows="f" * 64)
SALT = "0123456789abcdef" * 2
SIDES = {"antecedent": ["theft=yes"], "consequent": ["drugs=yes", "sex=m"]}
MODEL = {"item": "theft=yes", "model": "linear", "covariates": ["sex", "arm"], "of": "sex=m"}
EVERY: list[dict[str, Any]] = [
    {"name": "rare", "kind": "share", "item": "theft=yes", "than": "0.1"},
    {"name": "hidden", "kind": "arms", "item": "theft=yes"},
    {"name": "wording", "kind": "version", "item": "theft=yes", "by": "version"},
    {"name": "after the talk", "kind": "change", "item": "theft=yes", "direction": "less"},
    {"name": "together", "kind": "association", **SIDES},
    {"name": "men", "kind": "coefficient", **MODEL},
]


def plan_text(hypotheses: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"format": "candor-plan/1", "salt": SALT, "hypotheses": hypotheses, **more})


def test_all_kinds_are_read_and_written_in_canonical_form() -> None:
    plan = parse_plan(plan_text(EVERY))
    expected = json.loads(plan_text(EVERY))
    expected["hypotheses"][0]["than"] = "0.1000"
    assert json.loads(plan.canonical) == expected
    assert plan.canonical == json.dumps(expected, sort_keys=True, separators=(",", ":"))
    assert parse_plan(plan.canonical) == plan
    assert plan.fingerprint == sha256(plan.canonical.encode()).hexdigest()
    check_plan(plan, STUDY)


def test_another_salt_has_another_hash() -> None:
    plan, other = parse_plan(plan_text(EVERY)), parse_plan(plan_text(EVERY, salt="f" * 32))
    check_plan_fingerprint(plan, plan.fingerprint)
    refused = refusal(check_plan_fingerprint, other, plan.fingerprint)
    assert refused.startswith("plan: its SHA-256 is not the one in the design")


def changed_plan(place: int, **more: Any) -> str:
    return plan_text([{**EVERY[place], **more}])


def test_what_is_wrong_or_not_in_the_design_is_refused_in_one_line() -> None:
    twenty_one, h = [{**EVERY[0], "name": f"h{place}"} for place in range(21)], "hypotheses[0]"
    wrong = [
        (plan_text([]), "hypotheses: at least one hypothesis"),
        (plan_text(twenty_one), "hypotheses: at most 20 hypotheses"),
        (plan_text([EVERY[0], EVERY[0]]), "hypotheses[1]: 'rare' appears twice"),
        (plan_text(EVERY, salt="f" * 31), "salt: must be 32 digits"),
        (plan_text(EVERY, format="candor-plan/2"), "format: must be candor-plan/1"),
        (plan_text(EVERY, author="me"), "plan: unknown key 'author'"),
        (changed_plan(0, kind="guess"), f"{h}.kind: 'guess' is not a kind of hypothesis"),
        (plan_text([{"name": "rare"}]), f"{h}: 'kind' is missing"),
        (changed_plan(0, by="sex"), f"{h}: unknown key 'by'"),
        (changed_plan(0, than="1.2"), f"{h}.than: a probability of 1.2 is not allowed"),
        (changed_plan(3, direction="up"), f"{h}.direction: 'up' is no direction (more, less)"),
        (changed_plan(4, antecedent=[]), f"{h}.antecedent: must hold 1 to 20 names"),
        (changed_plan(4, antecedent=["a=b", "a=b"]), f"{h}.antecedent: holds a name twice"),
        (changed_plan(5, model="probit"), f"{h}.model: 'probit' is no model (linear, logit)"),
    ]
    assert refused_otherwise(parse_plan, wrong) == []
    lacking = [
        (changed_plan(0, item="theft=maybe"), f"{h}: the design has no answer 'theft=maybe'"),
        (changed_plan(1, item="murder=yes"), f"{h}: the design has no answer 'murder=yes'"),
        (changed_plan(2, by="wave"), f"{h}: the design has no question 'wave'"),
        (changed_plan(3, item="murder=yes"), f"{h}: the design has no answer 'murder=yes'"),
        (changed_plan(4, consequent=["sex=x"]), f"{h}: the design has no answer 'sex=x'"),
        (changed_plan(5, covariates=["sex", "sex*age"]), f"{h}: the design has no question 'age'"),
    ]
    assert refused_otherwise(lambda text: check_plan(parse_plan(text), STUDY), lacking) == []


def test_a_change_is_refused_where_no_report_can_tell_it() -> None:
    """Of a design that follows none, and of answers that the earlier one asked otherwise or not at all."""
    plan = parse_plan(changed_plan(3))
    assert refusal(check_plan, plan, design(*ASKED)) == (
        "hypotheses[0]: the design follows no earlier one, so no change can be told"
    )
    other_words = sensitive("0.5", question("theft", *HALF, text="Have you stolen?"))
    other_answers = sensitive("0.5", question("theft", "0.3", "0.3", "0.4"))
    hidden = sensitive("0.5", question("theft", *HALF, show_if={"sex": ["m"]}))
    control = sensitive("0.5", question("theft", *HALF, known="0.1"))
    otherwise = "hypotheses[0]: the earlier survey asked for 'theft=yes' in other words or with other answers"
    cases = [
        ([ASKED[0]], STUDY, "hypotheses[0]: the earlier survey did not ask for 'theft=yes'"),
        ([other_words], STUDY, otherwise),
        ([other_answers], STUDY, otherwise),
        ([window("theft", 21, 2)], STUDY, otherwise),
        (
            [ASKED[0], hidden],
            STUDY,
            "hypotheses[0]: how often 'theft=yes' is given cannot be compared between two surveys",
        ),
        (
            [control],
            design(control, follows="f" * 64),
            "hypotheses[0]: how often 'theft=yes' is given cannot be compared between two surveys",
        ),
        # Asked openly before, disguised now.
        ([plain({"name": "theft", "choices": ["no", "yes"]})], STUDY, ""),
        (ASKED, STUDY, ""),
    ]
    told = [(refusal(check_plan, plan, later, design(*earlier)), words) for earlier, later, words in cases]
    assert [one for one in told if one[0] != one[1]] == []


def test_results_that_everybody_is_asked_for_alike_are_compared() -> None:
    """Of a yes/no question only *yes*; neither what devices draw nor numbers, control items or the last check."""
    shown_to_men = question("late", *HALF, show_if={"sex": ["m"]})
    sections = (
        plain({"name": "sex", "choices": ["f", "m"]}, drawn_question("version", *HALF)),
        sensitive(
            "0.5",
            question("theft", *HALF, form="yes-no"),
            question("moon", *HALF, known="0.01"),
            shown_to_men,
        ),
        window("sick", 21, 2),
        UNDERSTOOD,
    )
    before, after = (
        design(*sections, understanding=True, **more).mined for more in ({}, {"follows": "f" * 64})
    )
    pairs = reported_changes(before, after)
    assert [one for one, _other in pairs] == [other for _one, other in pairs] == [(0, 0), (0, 1), (2, 1)]
    # The page also counts what a rule can hide, which is left out.
    assert len(comparable_results(before, after)) == 4
