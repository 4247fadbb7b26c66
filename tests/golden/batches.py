"""The bytes of a batch of twenty records of each design, and of two such batches merged in a fixed order."""

import hashlib
import json

import numpy as np

from privacy.designs import Design
from privacy.records.columns import merge, pack
from privacy.simulation.disguise import disguise
from tests.golden.designs import designs

RECORDS = 20


def files() -> dict[str, bytes]:
    found = {}
    for design in designs():
        first, second = (packed(design, seed) for seed in (1, 2))
        merged = merge([first, second], np.random.default_rng(3).permutation(2 * RECORDS))
        said = {"packed": first.hex(), "merged": hashlib.sha256(merged).hexdigest()}
        found[f"batches/{design.fingerprint}"] = json.dumps(said, indent=1).encode()
    return found


def packed(design: Design, seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    most = [min(question.codes, question.true_codes) for question in design.questions]
    true = np.stack([rng.integers(0, codes, RECORDS) for codes in most])
    group = (np.arange(RECORDS) % 3 < 2).astype(np.uint8)
    return pack(design, group, disguise(design, group, true.astype(np.uint8), rng))
