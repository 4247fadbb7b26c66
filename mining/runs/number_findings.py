"""What a run says about sensitive numbers, from their counts: `run.findings["numbers"]`.

In the order of the design; see `mining.numbers.finding`. Estimates in the classes of a plain question join plain and
sensitive answers, so they are of the disguised records alone.
"""

from collections.abc import Iterator

import numpy as np

from mining.counting.number_counts import NumberCounts
from mining.numbers.finding import NumberClasses, NumberEstimates, NumberFinding, as_json, estimates
from mining.runs.findings import Json
from privacy.kinds.number.form import ThresholdsSection, WindowSection


def findings(counts: NumberCounts, *, alone: bool) -> Json:
    """`alone`: the open records may not be used."""
    return [as_json(found) for found in _findings(counts, alone=alone)]


def _findings(counts: NumberCounts, *, alone: bool) -> Iterator[NumberFinding]:
    place = 0
    for section in counts.design.sections:
        if isinstance(section, WindowSection | ThresholdsSection):
            by_group = counts.by_group[place].copy()
            if alone:
                by_group[0] = 0
            groups = tuple(_in_classes(counts, section, place))
            question = section.question
            yield NumberFinding(question.name, question.law, alone, estimates(section, by_group), groups)
        place += len(section.questions)


def _in_classes(
    counts: NumberCounts, section: WindowSection | ThresholdsSection, place: int
) -> Iterator[NumberClasses]:
    for (number, plain), table in counts.by_class.items():
        if number == place:
            classes = tuple(_in_class(section, disguised) for disguised in table)
            yield NumberClasses(counts.design.questions[plain].name, classes)


def _in_class(section: WindowSection | ThresholdsSection, disguised: np.ndarray) -> NumberEstimates:
    return estimates(section, np.stack([np.zeros_like(disguised), disguised]), of_class=True)
