"""What does the verdict cost? Processor time of a run's search, and of deciding what it may be made of.

`./run bench verdict` mines the records of the demo and records of forty plain questions, each in turn with and without
deciding, and prints the medians and the share of the whole that the verdict takes.
"""

import os
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import django
import numpy as np
from django.utils import timezone

from mining.counting import counter_of
from mining.counts import Counter
from mining.disclosure.plain_tables import table_counter
from mining.disclosure.verdict import Decision, decide
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from privacy.designs import Design, parse
from privacy.records.columns import pack, read
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.privacy import questionnaires
from tests.privacy.questionnaires import HALF, question

PLAIN, SENSITIVE, RECORDS, TIMES = 40, 8, 20_000, 5


def forty() -> tuple[Design, Population]:
    """Forty plain questions of three choices, and eight sensitive ones."""
    plain = ({"name": f"p{number}", "choices": ["a", "b", "c"]} for number in range(PLAIN))
    asked = (question(f"q{number}", *HALF) for number in range(SENSITIVE))
    design = questionnaires.design(
        questionnaires.plain(*plain), questionnaires.sensitive("0.5", *asked), open_answers=False
    )
    shares = ((0.5, 0.3, 0.2),) * PLAIN + ((0.7, 0.3),) * SENSITIVE
    return design, Population(Independent(shares))


def demo() -> tuple[Design, Population]:
    from config.start.demo import questionnaire  # late for Django
    from config.start.demo_people import employees  # late for Django
    from surveys.lifecycle.freezing import as_design_json  # late for Django

    design = parse(as_design_json(questionnaire(timezone.localdate())))
    return design, employees(design)


def counter(design: Design, population: Population, folder: Path) -> Counter:
    rng = np.random.default_rng(1)
    group, true = population.draw(design, RECORDS, rng)
    columns = read(design, pack(design, group, disguise(design, group, true, rng)))
    return counter_of(design.mined, [columns], folder)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from config.start.demo import PARAMETERS  # late for Django
    from runs import searching  # late for Django

    for name, (design, population), wanted in (
        ("demo", demo(), PARAMETERS),
        ("forty plain questions", forty(), Parameters(min_support=0.05, min_confidence=0.1, max_size=2)),
    ):
        with TemporaryDirectory() as folder:
            counted = counter(design, population, Path(folder))
            verdicts, searches = [], []
            for _time in range(1 + TIMES):
                begin = process_time()
                verdict, _tables = decide(counted.design, table_counter(counted), wanted.max_size)
                decided = process_time()
                searching.search(wanted, CachedCounter(counted, without_plain=True), Decision(verdict, {}))
                verdicts.append(decided - begin)
                searches.append(process_time() - decided)
        # The first turn compiles.
        deciding, searched = median(verdicts[1:]), median(searches[1:])
        print(
            f"{name}: verdict {1000 * deciding:.0f} ms, search {1000 * searched:.0f} ms,"
            f" {100 * deciding / (deciding + searched):.1f} % of both"
        )


if __name__ == "__main__":
    main()
