"""Plans: read, canonical form, hash, and one line for each thing that is wrong."""

import json
from hashlib import sha256
from typing import Any

from privacy.designs.hypothesis_plan import check_plan, check_plan_fingerprint, parse_plan
from tests.privacy.questionnaires import HALF, design, plain, question, refusal, refused_otherwise, sensitive

STUDY = design(
    plain({"name": "sex", "choices": ["f", "m"]}, {"name": "version", "choices": ["a", "b"]}),
    sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)),
)
SALT = "0123456789abcdef" * 2
SIDES = {"antecedent": ["theft=yes"], "consequent": ["drugs=yes", "sex=m"]}
MODEL = {"item": "theft=yes", "model": "linear", "covariates": ["sex", "arm"], "of": "sex=m"}
EVERY: list[dict[str, Any]] = [
    {"name": "rare", "kind": "share", "item": "theft=yes", "than": "0.1"},
    {"name": "hidden", "kind": "arms", "item": "theft=yes"},
    {"name": "wording", "kind": "version", "item": "theft=yes", "by": "version"},
    {"name": "together", "kind": "association", **SIDES},
    {"name": "men", "kind": "coefficient", **MODEL},
]


def written(hypotheses: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"format": "candor-plan/1", "salt": SALT, "hypotheses": hypotheses, **more})


def test_all_kinds_are_read_and_written_in_canonical_form() -> None:
    plan = parse_plan(written(EVERY))
    expected = json.loads(written(EVERY))
    expected["hypotheses"][0]["than"] = "0.1000"
    assert json.loads(plan.canonical) == expected
    assert plan.canonical == json.dumps(expected, sort_keys=True, separators=(",", ":"))
    assert parse_plan(plan.canonical) == plan
    assert plan.fingerprint == sha256(plan.canonical.encode()).hexdigest()
    check_plan(plan, STUDY)


def test_another_salt_has_another_hash() -> None:
    plan, other = parse_plan(written(EVERY)), parse_plan(written(EVERY, salt="f" * 32))
    check_plan_fingerprint(plan, plan.fingerprint)
    refused = refusal(check_plan_fingerprint, other, plan.fingerprint)
    assert refused.startswith("plan: its SHA-256 is not the one in the design")


def changed(place: int, **more: Any) -> str:
    return written([{**EVERY[place], **more}])


def test_what_is_wrong_or_not_in_the_design_is_refused_in_one_line() -> None:
    twenty_one, h = [{**EVERY[0], "name": f"h{place}"} for place in range(21)], "hypotheses[0]"
    wrong = [
        (written([]), "hypotheses: at least one hypothesis"),
        (written(twenty_one), "hypotheses: at most 20 hypotheses"),
        (written([EVERY[0], EVERY[0]]), "hypotheses[1]: 'rare' appears twice"),
        (written(EVERY, salt="f" * 31), "salt: must be 32 digits"),
        (written(EVERY, format="candor-plan/2"), "format: must be candor-plan/1"),
        (written(EVERY, author="me"), "plan: unknown key 'author'"),
        (changed(0, kind="guess"), f"{h}.kind: 'guess' is not a kind of hypothesis"),
        (written([{"name": "rare"}]), f"{h}: 'kind' is missing"),
        (changed(0, by="sex"), f"{h}: unknown key 'by'"),
        (changed(0, than="1.2"), f"{h}.than: a probability of 1.2 is not allowed"),
        (changed(3, antecedent=[]), f"{h}.antecedent: must hold 1 to 20 names"),
        (changed(3, antecedent=["a=b", "a=b"]), f"{h}.antecedent: holds a name twice"),
        (changed(4, model="probit"), f"{h}.model: 'probit' is no model (linear, logit)"),
    ]
    assert refused_otherwise(parse_plan, wrong) == []
    lacking = [
        (changed(0, item="theft=maybe"), f"{h}: the design has no answer 'theft=maybe'"),
        (changed(1, item="murder=yes"), f"{h}: the design has no answer 'murder=yes'"),
        (changed(2, by="wave"), f"{h}: the design has no question 'wave'"),
        (changed(3, consequent=["sex=x"]), f"{h}: the design has no answer 'sex=x'"),
        (changed(4, covariates=["sex", "sex*age"]), f"{h}: the design has no question 'age'"),
    ]
    assert refused_otherwise(lambda text: check_plan(parse_plan(text), STUDY), lacking) == []
