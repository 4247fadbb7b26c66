"""The bytes of a batch of twenty records of each design."""

import hashlib
import json

import numpy as np

from privacy.records.columns import pack
from privacy.simulation.disguise import disguise
from tests.golden.designs import designs

RECORDS = 20


def files() -> dict[str, bytes]:
    found = {}
    for design in designs():
        rng = np.random.default_rng(1)
        true = np.stack([rng.integers(0, question.codes, RECORDS) for question in design.questions])
        group = (np.arange(RECORDS) % 3 < 2).astype(np.uint8)
        data = pack(design, group, disguise(design, group, true.astype(np.uint8), rng))
        found[design.fingerprint] = {"hex": data[:64].hex(), "sha256": hashlib.sha256(data).hexdigest()}
    return {"batches.json": json.dumps(found, indent=1).encode()}
