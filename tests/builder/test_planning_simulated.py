"""What a plan promises is what simulated surveys of its design then show, by the intervals of a report."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from builder.planning.further_section_effect import draft_with_further_sections
from builder.planning.precision_forecast import ASSOCIATION, AVERAGE, DIFFERENCE, SHARE, forecast_precision
from builder.planning.sections_for_research_goal import PlanAnswers, draft_with_planned_sections
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, ItemsetPart
from mining.inference.intervals import lift_interval, share_interval
from mining.inference.score_test import SplitTests, support_test
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.kinds.number import report_node_from_counts
from privacy.designs import Design
from privacy.guarantee.presets import PRESETS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.number.classes.section import ClassesSection
from privacy.records.record import DISGUISED
from privacy.simulation.disguise import disguise
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.test_planning import NEW, design_with_words

pytestmark = pytest.mark.proof
Ends = tuple[NDArray[np.float64], NDArray[np.float64]]
SURVEYS = 40
YES = 1


def truth_of(design: Design, n: int, share: float, rng: np.random.Generator) -> Codes:
    """People answer independently: `share` of them yes, others no or nothing; every number is as likely."""
    truth = np.empty((len(design.questions), n), np.uint16)
    for row, question in zip(truth, design.questions, strict=True):
        codes = question.true_codes
        row[:] = rng.integers(0, codes, n)
        if codes == 3:
            row[:] = np.where(rng.random(n) < share, YES, rng.choice([0, 2], n))
    return truth


def records_of(design: Design, n: int, share: float, rng: np.random.Generator) -> Codes:
    return disguise(design, np.full(n, DISGUISED, np.uint8), truth_of(design, n, share, rng), rng)


def law_of(design: Design, question: int) -> tuple[float, float]:
    """The keep of its section, and how often noise says yes."""
    section = next(each for each in design.sections if design.questions[question] in each.questions)
    assert isinstance(section, UnrelatedQuestionSection)
    place = section.questions.index(design.questions[question])
    return float(section.law.keep), float(section.law.noise[place][YES])


def table_of(design: Design, records: Codes, asked: list[int]) -> ContingencyTable:
    """Of *yes* to these questions, those of one section or of two."""
    yes = records[asked] == YES
    at_least = np.zeros((1 << len(asked), 2, 1))
    for cell in range(len(at_least)):
        bits = [bit for bit in range(len(asked)) if cell >> bit & 1]
        at_least[cell, 1, 0] = yes[bits].all(axis=0).sum()
    is_one = len(design.sections) == 2
    sections = [0] * len(asked) if is_one else list(range(len(asked)))
    laws = [law_of(design, question) for question in asked]
    parts = zip((ANTECEDENT, CONSEQUENT), sections, strict=False)
    keep = np.array([[keep] for keep, _noise in laws[: 1 + sections[-1]]])
    return ContingencyTable(
        tuple(ItemsetPart(*part) for part in parts),
        at_least,
        keep,
        np.array([[noise] for _keep, noise in laws]),
    )


def share_ends(design: Design, records: Codes) -> Ends:
    return share_interval(support_test(table_of(design, records, [1])))


def difference_ends(design: Design, records: Codes) -> Ends:
    """Of the two groups of the question that is not disguised."""
    keep, noise = law_of(design, 1)
    sides = []
    for group in (0, 1):
        of = records[1][records[0] == group]
        law = np.array([[keep]]), np.array([[(1 - keep) * noise]])
        sides.append(ReceivedSide(np.array([[len(of)]]), np.array([[(of == YES).sum()]]), *law))
    return SumOfShares.from_difference(*sides).interval()


def association(design: Design, records: Codes) -> Ends:
    tests = SplitTests(table_of(design, records, [1, 2]))
    return lift_interval(tests.lift(), tests.fewest_records_lacking_side())


def average(design: Design, records: Codes) -> Ends:
    section = design.sections[1]
    assert isinstance(section, ClassesSection)
    counts = np.zeros((2, section.questions[0].codes), np.int64)
    counts[1] = np.bincount(records[1], minlength=counts.shape[1])
    found = report_node_from_counts.estimate_number(section, counts).mean
    assert found is not None
    return np.array([found.low]), np.array([found.high])


OF_GOAL: dict[str, Callable[[Design, Codes], Ends]] = {
    SHARE: share_ends,
    AVERAGE: average,
    DIFFERENCE: difference_ends,
    ASSOCIATION: association,
}


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("goal", "respondents", "preset", "expected", "further"),
    [
        (SHARE, 2_000, "balanced", "0.2000", 0),
        pytest.param(SHARE, 4_000, "stronger", "0.3000", 1, marks=pytest.mark.night),
        pytest.param(DIFFERENCE, 4_000, "weaker", "0.2500", 0, marks=pytest.mark.night),
        (AVERAGE, 2_000, "balanced", "0.1000", 0),
        pytest.param(AVERAGE, 4_000, "weaker", "0.1000", 2, marks=pytest.mark.night),
        (ASSOCIATION, 20_000, "balanced", "0.3000", 0),
        pytest.param(ASSOCIATION, 50_000, "stronger", "0.4000", 0, marks=pytest.mark.night),
    ],
)
def test_planned_margins_hold_in_simulated_surveys(
    goal: str, respondents: int, preset: str, expected: str, further: int
) -> None:
    answers = PlanAnswers(goal, respondents, PRESETS[preset], expected, 0, 40)
    draft: Questionnaire = draft_with_further_sections(draft_with_planned_sections(NEW, answers), further)
    promised = forecast_precision(draft, goal)
    assert promised.half_width
    design, rng = design_with_words(draft), np.random.default_rng(respondents)
    ends: list[Any] = [
        OF_GOAL[goal](design, records_of(design, respondents, float(expected), rng)) for _ in range(SURVEYS)
    ]
    low, high = np.array(ends)[:, :, 0].T
    assert ((high - low) / 2).mean() == pytest.approx(promised.half_width, rel=0.1)
    truth = promised.expected
    assert ((low <= truth) & (truth <= high)).mean() >= 0.85
