"""Exports of a made-up tool, with records of a design."""

from base64 import urlsafe_b64encode

import numpy as np
import pandas as pd

from privacy.designs import Design
from privacy.records.record import DISGUISED, Envelope, Record, encode_answers
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    classes,
    design,
    plain,
    question,
    sensitive,
    subset,
)

DESIGN = design(
    plain(WORK),
    sensitive("0.5", question("theft", *HALF), question("drink", *THIRDS, **IF_EMPLOYED)),
    subset(5, 2, "0.6"),
    classes("debt", "0.7", 0, 10, 20, 40),
    open_answers=False,
)


def write_handed_text(key: str, record: Record, *, is_trial: bool = False) -> str:
    """Returns the text of a record, as a page hands it over."""
    coded = urlsafe_b64encode(Envelope(key, record).json.encode()).decode().rstrip("=")
    return f"candor1{'t' if is_trial else ''}.{coded}"


def text(of: Design, codes: list[int], key: int, *, is_trial: bool = False) -> str:
    record = Record(of.fingerprint, DISGUISED, encode_answers(of, codes))
    return write_handed_text(f"{key:032x}", record, is_trial=is_trial)


def simulated_codes(of: Design, number: int, seed: int = 1) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    shares = tuple(tuple([1 / asked.true_codes] * asked.true_codes) for asked in of.questions)
    people = Independent(shares)
    group, truth = Population(people, people, 0).draw(of, number, rng)
    return [list(row) for row in disguise(of, group, truth, rng).T.tolist()]


def export(of: Design, number: int, seed: int = 1) -> pd.DataFrame:
    """A row a person: age, arm, a note, and the field of the tool with the record."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 90, number), "arm": rng.choice(["a", "b"], number)})
    codes = simulated_codes(of, number, seed)
    fields = [text(of, row, key) for key, row in enumerate(codes)]
    return frame.assign(note='he said, "no"\nor; not', candor=fields)
