"""Seconds and memory of handing out record files: 130,000 records of 500 questions, and a tenth of them beside it.

`./run bench export` seals random records into a fresh SQLite database, then makes each kind of file in a process of
its own, as the page does, zip, codebook and script included. `grown_mb` is by how much the process's peak of memory
(RSS) grew from before the first record was read; where it is the same for a tenth of the records, memory is constant.
For less: `--records 13000 --questions 40`.
"""

import argparse
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import Any

from tests import servers

PER_BATCH = 20_000
STAGE = """
import json
import numpy as np
from accounts.models import Person
from privacy.designs import parse
from privacy.records.columns import pack
from intake.models import Batch
from surveys.models import Design, Survey

def section(first):
    asked = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(first, min(first + 10, %(questions)d))]
    return {"kind": "unrelated-question", "keep": "0.5", "questions": asked}

sections = [section(first) for first in range(0, %(questions)d, 10)]
design = parse(json.dumps({"format": "candor-design/1", "sections": sections, "open_answers": True}))
owner, _ = Person.objects.get_or_create(username="owner")
row, _ = Design.objects.get_or_create(fingerprint=design.fingerprint, defaults={"json": design.canonical})
survey = Survey.objects.create(owner=owner, design=row, state="open")
rng = np.random.default_rng(1)
for number, start in enumerate(range(0, %(records)d, %(per_batch)d), 1):
    n = min(%(per_batch)d, %(records)d - start)
    codes = rng.integers(0, 2, (%(questions)d, n), np.uint8)
    columns = pack(design, rng.integers(0, 2, n, np.uint8), codes)
    Batch.objects.create(survey=survey, first=number, last=number, n=n, columns=columns)
print(survey.pk)
"""
CELLS = {"sav": 20_000_000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=130_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--kinds", nargs="+", default=["csv", "parquet", "sav"])
    parser.add_argument("--measure", nargs=2, metavar=("KIND", "SURVEY"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(measured(asked.measure[0], int(asked.measure[1]))))
        return
    figures = [
        measure(kind, min(records, CELLS.get(kind, 10**12) // (asked.questions + 1)), asked.questions)
        for kind in asked.kinds
        for records in (asked.records // 10, asked.records)
    ]
    print(json.dumps(figures, indent=1))


def measure(kind: str, records: int, questions: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        env = servers.environment(VAR=var, SECRET_KEY=secrets.token_hex(32))
        servers.manage(env, "migrate", "-v", "0")
        stage = STAGE % {"questions": questions, "records": records, "per_batch": PER_BATCH}
        survey = servers.manage(env, "shell", "-v", "0", "-c", stage).strip()
        command = [sys.executable, "-m", "bench.export", "--measure", kind, survey]
        done = subprocess.run(command, env=env, cwd=servers.ROOT, check=True, capture_output=True, text=True)
        return {"kind": kind, "records": records, "questions": questions, **json.loads(done.stdout)}


def measured(kind: str, survey: int) -> dict[str, float]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.utils import timezone

    from intake.recordfiles.offer import hand_over
    from surveys.models import Survey

    row = Survey.objects.select_related("owner", "design").get(pk=survey)
    before, began, size = peak(), perf_counter(), 0
    for piece in hand_over(row, row.owner, kind, "en", timezone.now()):
        size += len(piece)
    seconds = perf_counter() - began
    return {
        "seconds": round(seconds, 1),
        "zip_mb": round(size / 1e6, 1),
        "before_mb": round(before, 1),
        "grown_mb": round(peak() - before, 1),
    }


def peak() -> float:
    """Megabytes; Linux counts in kilobytes, macOS in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
