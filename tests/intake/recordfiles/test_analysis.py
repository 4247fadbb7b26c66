"""The scripts that leave with a record file say what the product says of the same records."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from intake.recordfiles import as_csv
from intake.recordfiles.analysis import LANGUAGES, R, ScriptLanguage
from mining.counting.code_counts import CodeCounts
from mining.counting.records import counter_of
from mining.kinds.registry import nodes
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.studies.arms import arms_of
from mining.studies.covariates import read_request
from mining.studies.models import model_counted
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from privacy.simulation.disguise import disguise
from runs.findings import answers, groups
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

AGE = {"name": "年龄", "choices": ["young", "=old", "older"]}
SECTIONS = (
    plain(WORK, AGE),
    sensitive(
        "0.4",
        question("took-home", "0.4", "0.6"),
        question("sick", "0.7", "0.3", **IF_EMPLOYED),
        {"name": "often", "choices": ["never", "=once", "many times"], "noise": ["0.5", "0.3", "0.2"]},
        asked=2,
    ),
    crosswise("till", "0.25"),
    subset(8, 3, "0.7"),
    window("change, in all", 101, 10, "0.4", low=-250, step=5, **IF_EMPLOYED),
    classes("debt", "0.7142", 0, 500, 1000, 2000, 100_000, rest=2, **IF_EMPLOYED),
    place_in_row("home", {"north": [0, 1, 2], "south": [3, 4]}, 7, 1, "6", **IF_EMPLOYED),
)
OPENLY = design(*SECTIONS)
ARMS = design(*SECTIONS, open_answers=False, direct="0.3", least=200)
ON = [AGE["name"], WORK["name"]]


def people(of: Design, n: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Those without disguise are others than those with it."""
    rng = np.random.default_rng(7)
    group = np.where(rng.random(n) < 0.3, OPEN, DISGUISED).astype(np.uint8)
    opened = group == OPEN
    truth = np.array(
        [
            rng.random(n) < 0.4,
            rng.choice(3, n, p=[0.5, 0.3, 0.2]),
            rng.random(n) < 0.2 + 0.3 * opened,
            rng.random(n) < 0.35,
            rng.choice(3, n, p=[0.5, 0.3, 0.2]),
            rng.random(n) < 0.3,
            rng.integers(0, 8, n),
            rng.integers(0, 101, n),
            rng.integers(0, 100_000, n),
            rng.integers(0, 7, n),
        ],
        np.uint32,
    )
    for index, asked in enumerate(of.questions):
        if asked.show_if:
            truth[index, truth[0] == 1] = asked.true_hidden
    return group, disguise(of, group, truth, rng)


def written(of: Design, n: int, folder: Path) -> Iterator[Expected]:
    """Writes the record file of n people; what the product says of them."""
    group, codes = people(of, n)
    rows = [RecordRow(int(arm), tuple(column)) for arm, column in zip(group, codes.T.tolist(), strict=True)]
    records = filed.records(of, rows)
    (folder / "records.csv").write_bytes(b"".join(as_csv.written(records)))
    return said(of, records.parts, folder)


def said(of: Design, parts: Any, folder: Path) -> Iterator[Expected]:
    counter = counter_of(of.mined, parts, folder)
    known = CachedCounter(counter, without_plain=True)
    yield from analysed.of_shares(tuple(answers(known, Parameters(0.1, 0.5))))
    yield from analysed.of_groups(tuple(groups(known)), of)
    counted = nodes(CodeCounts.of(of, parts))
    for number in counted["numbers"]:
        yield from analysed.of_number(number, of)  # type: ignore[arg-type]
    for place in counted["places"]:
        yield from analysed.of_place(place, of)  # type: ignore[arg-type]
    if of.has_arms:
        yield from analysed.of_arms(arms_of(counter), of)
    request = read_request(known.design, "took-home=yes", ON)
    yield from analysed.of_model(model_counted(known.whole, request))


MODEL = {
    "analysis.R": 'put("model", model("took-home=yes", c("\\u5e74\\u9f84", "work")))\n',
    "analysis.py": 'put("model", model("took-home=yes", ["\\u5e74\\u9f84", "work"]))\n',
}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.file)
@pytest.mark.parametrize("of", [ARMS, OPENLY], ids=["arms", "open"])
def test_a_script_says_what_the_product_says(of: Design, language: ScriptLanguage, tmp_path: Path) -> None:
    expected = list(written(of, 1_500, tmp_path))
    tables = analysed.run(language, of, tmp_path, more=MODEL[language.file])
    wrong = analysed.differences(tables, iter(expected))
    assert not wrong, '\n'.join(wrong)
    assert len(expected) > 300
