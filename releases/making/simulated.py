"""An invented table of a survey's design, for comparisons of methods: losses of the real one tell its cells."""

import numpy as np

from intake.disclosure import ledger
from intake.disclosure.canonical import DisguisedRecords, hidden_in
from intake.disclosure.models import Door
from mining.disclosure.plain_tables import PlainTable
from mining.document.codec import load
from privacy.designs import Design
from releases import survey_tables
from releases.models import Source
from surveys.lifecycle import counts
from surveys.models import Survey


def csv_of(source: Source, rng: np.random.Generator) -> bytes:
    """As many records as are sealed, rounded down to the smallest batch; each question answered by itself, with the
    shares that were published, else with equal ones."""
    survey = source.survey
    assert survey
    assert survey.design
    design, n = survey.design.content, counts.for_survey(survey).shown(survey.least, rounded=True).sealed
    shares = published_shares(survey, design)
    codes = np.zeros((len(design.questions), n), np.uint16)
    rotates = [section.rotates for section in design.sections for _ in section.questions]
    for index, question in enumerate(design.questions):
        p = shares.get(index)
        codes[index] = rng.choice(question.codes, n, p=p)
        if rotates[index]:
            codes[index, rng.random(n) < 0.5] = question.not_asked
        for rule in question.show_if:
            codes[index, ~np.isin(codes[rule.place], sorted(rule.codes))] = question.not_applicable
    records = DisguisedRecords(design, codes, np.ones(n, np.int64))
    return survey_tables.csv_of(records, np.arange(n), source.with_sensitive)


def published_shares(survey: Survey, design: Design) -> dict[int, np.ndarray]:
    """By place of a plain question the shares of its choices in the last report; withheld classes have equal parts."""
    reports = ledger.told(survey, Door.REPORT)
    if not reports:
        return {}
    hidden = hidden_in(reports[-1])
    tables = (load(PlainTable, table) for table in reports[-1].tables["tables"])
    single = {
        table.questions[0]: table.counts.astype(np.float64) for table in tables if len(table.questions) == 1
    }
    shares = {}
    for index, question in enumerate(design.questions):
        if index in single and index in hidden:
            kept = single[index].copy()
            withheld = sorted(hidden[index])
            kept[withheld] = kept[withheld].mean() if withheld else 0
            kept = kept[: question.codes]
            if len(kept) == question.codes and kept.sum():
                shares[index] = kept / kept.sum()
    return shares
