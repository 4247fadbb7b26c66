"""The scripts that leave with a record file say what the product says of the same records."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from intake.recordfiles import as_csv
from intake.recordfiles.analysis import LANGUAGES, ScriptLanguage
from intake.recordfiles.rows import UsedRows
from mining.counting.code_counts import CodeCounts
from mining.counting.records import MinedRecords, counter_of
from mining.disclosure.verdict import Verdict
from mining.document.names import Names
from mining.document.numbers import NumberNode
from mining.kinds.registry import nodes
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.reconstruction.group_test import alike
from mining.studies.arms import arms_of
from mining.studies.covariates import read_request
from mining.studies.margins import read_margins
from mining.studies.models import model_counted
from mining.studies.weights import weighted_answers
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from privacy.simulation.disguise import disguise
from runs import kernel_cache
from runs.findings import answers, compared, groups
from runs.weighting import sensitive_items
from tests.intake.recordfiles import analysed, filed
from tests.intake.recordfiles.analysed import Expected
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    WORK,
    classes,
    crosswise,
    design,
    place_in_row,
    plain,
    question,
    sensitive,
    subset,
    window,
)

pytestmark = pytest.mark.server

AGE = "年龄"
AGES = {"name": AGE, "choices": ["young", "=old", "older"]}
CHOSEN = (
    plain(WORK, AGES),
    sensitive(
        "0.4",
        question("took-home", "0.4", "0.6"),
        question("sick", "0.7", "0.3", **IF_EMPLOYED),
        {"name": "often", "choices": ["never", "=once", "many times"], "noise": ["0.5", "0.3", "0.2"]},
        {"name": "liked", "form": "scale", "choices": ["3", "1", "2"], "noise": ["0.5", "0.3", "0.2"]},
        asked=3,
    ),
    crosswise("till", "0.25"),
    window("change, in all", 101, 10, "0.4", low=-250, step=5, **IF_EMPLOYED),
)
HOME = place_in_row("home", {"north": [0, 1, 2], "south": [3, 4]}, 7, 1, "6", **IF_EMPLOYED)
SCORED = (
    subset(8, 3, "0.7"),
    classes("debt", "0.7142", 0, 500, 1000, 2000, 100_000, rest=2, **IF_EMPLOYED),
)
BY_ARM: dict[str, Any] = {"open_answers": False, "direct": "0.3", "least": 200}
STUDY = design(*CHOSEN, **BY_ARM)
SURVEYS = {
    "arms": STUDY,
    "open": design(*CHOSEN, HOME),
    "arms-everything": design(*CHOSEN, HOME, *SCORED, **BY_ARM),
    "open-everything": design(*CHOSEN, HOME, *SCORED),
}
ON = [AGE, "work"]
MODEL = {
    "analysis.R": 'put("model", model("took-home=yes", c("\\u5e74\\u9f84", "work"){more}))\n',
    "analysis.py": 'put("model", model("took-home=yes", ["\\u5e74\\u9f84", "work"]{more}))\n',
}

OLDER = f"{AGE},share\nyoung,0.3\n=old,0.4\nolder,0.3\n"
RAKED = f"{AGE},work,share\nyoung,,0.3\n=old,,0.4\nolder,,0.3\n,employed,0.7\n,not,0.3\n"
"""The population is older, and works more."""
WEIGHTED = {
    (OLDER, "analysis.R"): """put("weighted", weighted(list(
  list(on = "\\u5e74\\u9f84", cells = list("young", "=old", "older"), share = c(0.3, 0.4, 0.3))
)))
""",
    (
        OLDER,
        "analysis.py",
    ): """put("weighted", weighted({"\\u5e74\\u9f84": {"young": 0.3, "=old": 0.4, "older": 0.3}}))
""",
    (RAKED, "analysis.R"): """put("weighted", weighted(list(
  list(on = "\\u5e74\\u9f84", cells = list("young", "=old", "older"), share = c(0.3, 0.4, 0.3)),
  list(on = "work", cells = list("employed", "not"), share = c(0.7, 0.3))
)))
""",
    (RAKED, "analysis.py"): """put("weighted", weighted({
    "\\u5e74\\u9f84": {"young": 0.3, "=old": 0.4, "older": 0.3}, "work": {"employed": 0.7, "not": 0.3}
}))
""",
}


def people(of: Design, n: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Those without disguise are others than those with it."""
    rng = np.random.default_rng(7)
    group = np.where(rng.random(n) < 0.3, OPEN, DISGUISED).astype(np.uint8)
    true: dict[str, Any] = {
        "work": rng.random(n) < 0.4,
        AGE: rng.choice(3, n, p=[0.5, 0.3, 0.2]),
        "took-home": rng.random(n) < 0.2 + 0.3 * (group == OPEN),
        "sick": rng.random(n) < 0.35,
        "often": rng.choice(3, n, p=[0.5, 0.3, 0.2]),
        "liked": rng.choice(3, n, p=[0.2, 0.3, 0.5]),
        "till": rng.random(n) < 0.3,
        "change, in all": rng.integers(0, 101, n),
        "home": rng.integers(0, 7, n),
        "drug": rng.integers(0, 8, n),
        "debt": rng.integers(0, 100_000, n),
    }
    truth = np.array([true[every.name] for every in of.questions], np.uint32)
    for index, hidden in enumerate(of.questions):
        if hidden.show_if:
            truth[index, truth[0] == 1] = hidden.true_hidden
    return group, disguise(of, group, truth, rng)


def records_of(of: Design, n: int) -> UsedRows:
    group, codes = people(of, n)
    rows = [RecordRow(int(arm), tuple(column)) for arm, column in zip(group, codes.T.tolist(), strict=True)]
    return filed.records(of, rows)


def said(of: Design, records: UsedRows) -> Iterator[Expected]:
    """What the product says of these records."""
    counter = counter_of(of.mined, records.parts, kernel_cache.folder())
    known = CachedCounter(counter, without_plain=True)
    yield from analysed.of_shares(tuple(answers(known, Parameters(0.1, 0.5))))
    yield from analysed.of_groups(tuple(groups(known, Verdict(of.mined))))
    if not of.has_arms:
        yield from analysed.of_compared(compared(known, Verdict(of)), of)
        yield from p_alone(known, of)
    for nodes_of_kind in nodes(CodeCounts.of(of, records.parts)).values():
        for node in nodes_of_kind:
            if isinstance(node, NumberNode):
                yield from analysed.of_number(node, of)
            else:
                yield from analysed.of_place(node, of)
    if of.has_arms:
        yield from analysed.of_arms(arms_of(counter), of)


def p_alone(known: CachedCounter, of: Design) -> Iterator[Expected]:
    """That of each answer alone, which a report does not say."""
    test, names = alike(CachedCounter(known.whole)), Names(known.design)
    raw = test.p if test.raw is None else test.raw
    for item, p in zip(test.items, raw.tolist(), strict=True):
        if not of.questions[item[0]].withheld_if_open:
            yield "compared", {"item": names.name(item)}, {"p_alone": p}


def of_model(of: Design, records: UsedRows, **options: Any) -> Iterator[Expected]:
    counter = counter_of(of.mined, records.parts, kernel_cache.folder())
    request = read_request(of.mined, "took-home=yes", ON, **options)
    return analysed.of_model(model_counted(counter, request))


def of_weights(of: Design, records: UsedRows, margins: str) -> Iterator[Expected]:
    mined, names = MinedRecords(of.mined, records.parts), Names(of.mined)
    known = read_margins(BytesIO(margins.encode()), "margins", of.mined)
    for item, estimate in weighted_answers(mined, sensitive_items(of.mined), known).items():
        numbers = analysed.members(estimate, "share", "se", "low", "high", "effective", "largest")
        yield "weighted", {"item": names.name(item)}, numbers


def write(records: UsedRows, folder: Path) -> None:
    (folder / "records.csv").write_bytes(b"".join(as_csv.written(records)))


def named(language: ScriptLanguage) -> str:
    return language.file


@pytest.mark.parametrize("language", LANGUAGES, ids=named)
def test_a_script_says_what_the_product_says_of_a_study(language: ScriptLanguage, tmp_path: Path) -> None:
    """Directly asked people have taken home more often, and are not pooled with the disguised."""
    records = records_of(STUDY, 1_200)
    write(records, tmp_path)
    tables = analysed.run(language, STUDY, tmp_path, more=MODEL[language.file].format(more=""))
    expected = [*said(STUDY, records), *of_model(STUDY, records)]
    assert analysed.differences(tables, expected) == []
    assert {name for name, _key, _numbers in expected} == set(tables)


@pytest.mark.release
@pytest.mark.parametrize("language", LANGUAGES, ids=named)
@pytest.mark.parametrize("survey", SURVEYS)
def test_a_script_says_what_the_product_says_of_every_kind(
    survey: str, language: ScriptLanguage, tmp_path: Path
) -> None:
    of = SURVEYS[survey]
    records = records_of(of, 3_000)
    write(records, tmp_path)
    tables = analysed.run(language, of, tmp_path)
    assert analysed.differences(tables, said(of, records)) == []


@pytest.mark.release
@pytest.mark.parametrize("language", LANGUAGES, ids=named)
@pytest.mark.parametrize(
    ("survey", "margins"), [("arms", RAKED), ("arms-everything", OLDER)], ids=["arms", "arms-everything"]
)
def test_a_script_weights_the_shares_as_the_product_does(
    survey: str, margins: str, language: ScriptLanguage, tmp_path: Path
) -> None:
    """Of studies with arms and numbers, and of one with a place; a rule hides some questions from some."""
    of = SURVEYS[survey]
    records = records_of(of, 3_000)
    write(records, tmp_path)
    tables = analysed.run(language, of, tmp_path, more=WEIGHTED[margins, language.file])
    expected = list(of_weights(of, records, margins))
    assert len(expected) > 10
    assert analysed.differences(tables, expected) == []


@pytest.mark.release
@pytest.mark.parametrize("language", LANGUAGES, ids=named)
@pytest.mark.parametrize("more", [{}, BY_ARM], ids=["open", "arms"])
def test_a_script_for_a_number_alone_runs(
    more: dict[str, Any], language: ScriptLanguage, tmp_path: Path
) -> None:
    of = design(window("change, in all", 101, 10, "0.4"), **more)
    records = records_of(of, 200)
    write(records, tmp_path)
    assert set(analysed.run(language, of, tmp_path)) == {"distributions", *(["completion"] if more else [])}


@pytest.mark.release
@pytest.mark.parametrize("language", LANGUAGES, ids=named)
@pytest.mark.parametrize("n", [30, 70])
def test_a_script_estimates_nothing_from_too_few(n: int, language: ScriptLanguage, tmp_path: Path) -> None:
    of = SURVEYS["open-everything"]
    records = records_of(of, n)
    write(records, tmp_path)
    tables = analysed.run(language, of, tmp_path)
    assert analysed.differences(tables, said(of, records)) == []
    assert "" in [row["support"] for row in tables["shares"]]


@pytest.mark.release
@pytest.mark.parametrize("language", LANGUAGES, ids=named)
@pytest.mark.parametrize(
    ("more", "options"),
    [
        ({"analysis.R": ", logit = TRUE", "analysis.py": ", logit=True"}, {"logit": True}),
        (
            {
                "analysis.R": ', products = "work*\\u5e74\\u9f84"',
                "analysis.py": ', products=["work*\\u5e74\\u9f84"]',
            },
            {"products": [f"work*{AGE}"]},
        ),
    ],
    ids=["logit", "products"],
)
def test_a_script_fits_the_models_of_the_product(
    more: dict[str, str], options: dict[str, Any], language: ScriptLanguage, tmp_path: Path
) -> None:
    records = records_of(STUDY, 6_000)
    write(records, tmp_path)
    tables = analysed.run(
        language, STUDY, tmp_path, more=MODEL[language.file].format(more=more[language.file])
    )
    assert analysed.differences(tables, of_model(STUDY, records, **options)) == []


def test_a_number_that_a_rule_hides_has_one_interval_in_the_shares_and_in_its_node() -> None:
    """Hardly anybody is below 500, so that nobody is estimated on one side of the answer."""
    of = design(plain(WORK), classes("debt", "0.7", 0, 500, 1000, 2000, **IF_EMPLOYED))
    rng = np.random.default_rng(2)
    group = np.full(600, DISGUISED, np.uint8)
    truth = np.array([rng.integers(0, 2, 600), rng.integers(600, 2001, 600)], np.uint32)
    truth[1, truth[0] == 1] = of.questions[1].true_hidden
    codes = disguise(of, group, truth, rng)
    records = filed.records(of, [RecordRow(1, tuple(row)) for row in codes.T.tolist()])
    counter = counter_of(of.mined, records.parts, kernel_cache.folder())
    of_answers = {one.item: one for one in answers(CachedCounter(counter), Parameters(0.1, 0.5))}
    (node,) = (one for kind in nodes(CodeCounts.of(of, records.parts)).values() for one in kind)
    assert isinstance(node, NumberNode)
    for share in (*node.all_records.shares, *node.all_records.classes):
        one = of_answers[f"debt={share.item}"]
        assert (one.low, one.high) == pytest.approx((share.low, share.high), abs=1e-6)
