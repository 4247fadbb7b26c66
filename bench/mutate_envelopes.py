"""Sends mutated envelopes to the record endpoint of real web processes: each is refused or stored once, none breaks.

`./run bench mutate_envelopes` sends 20,000 to a survey without invitations and 20,000 to one with them, each twice,
on SQLite and on PostgreSQL; tests/intake/test_mutated_envelopes.py makes them and says what should become of each.
What differs is printed with the seed; then the exit status is 1. For less: `--bodies 2000 --database sqlite`.
"""

import argparse
import http.client
import json
import random
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import chain, product
from pathlib import Path
from time import perf_counter

from bench.load import DATABASES  # it sets Django up
from tests import servers
from tests.intake import test_mutated_envelopes as mutated
from tests.intake.conftest import LiveSurvey, live_survey

AT_ONCE = 4
KEPT = """
import json
from intake.models import Inbox, Token
from tests.intake import asked
records = [bytes(record).decode() for record in Inbox.objects.values_list("record", flat=True)]
keys = len(asked.fresh_hashes()) + len(asked.seen_hashes())
print(json.dumps([records, keys, Token.objects.count()]))
"""
Expected = list[tuple[mutated.Body, str | None]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench mutate_envelopes", description=__doc__)
    parser.add_argument("--bodies", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--database", choices=DATABASES, action="append")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    differing = 0
    for database, invited in product(asked.database or DATABASES, (False, True)):
        with opened(database, asked.bodies if invited else 0) as living:
            differing += measure(living, database, asked.bodies, asked.seed)
    sys.exit(int(differing > 0))


@contextmanager
def opened(database: str, tokens: int) -> Iterator[LiveSurvey]:
    with ExitStack() as stack:
        var = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="candor-bench-")))
        is_sqlite = database == "sqlite"
        own = {} if is_sqlite else {"DATABASE_URL": stack.enter_context(servers.postgres()).create("bench")}
        yield stack.enter_context(live_survey(var, mutated.design(), own, tokens))


def measure(living: LiveSurvey, database: str, n: int, seed: int) -> int:
    """How many answers, records, keys or invitations are not what they should be."""
    rng, unspent = random.Random(seed), frozenset(living.tokens)
    tokens: Sequence[str | None] = living.tokens or [None] * n
    bodies = [mutated.body(rng, living.design, number, token) for number, token in enumerate(tokens)]
    expected = [(body, body.record_to_store(living.design, unspent or None)) for body in bodies]
    parts = [expected[index::AT_ONCE] for index in range(AT_ONCE)]
    began = perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(lambda part: send(living, part), parts))
    seconds, wrong, first = round(perf_counter() - began, 1), list[str](), Counter[int]()
    for (body, record), statuses in zip(chain(*parts), chain(*answers), strict=True):
        first[statuses[0]] += 1
        # The first answer and the one to the same again.
        wanted = (
            [(201, 200)] if record is not None else [(status, status) for status in (403, 410, 413, 422, 503)]
        )
        if statuses not in wanted:
            wrong.append(f"{statuses} instead of {wanted}: {body}")
    records = Counter(record for _body, record in expected if record is not None)
    kept, keys, left = json.loads(living.shell(KEPT))
    wrong += [f"kept {what}" for what in (Counter(kept) - records, records - Counter(kept)) if what]
    wrong += [f"{keys} keys for {records.total()} records"] * (keys != records.total())
    wrong += [f"{left} invitations are left"] * (bool(unspent) and left != n - records.total())
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    figures = {"database": database, "invited": bool(unspent), "bodies": n, "stored": records.total()}
    counts = {"statuses": first, "differing": len(wrong), "seconds": seconds}
    print(json.dumps(figures | counts), flush=True)
    return len(wrong)


def send(living: LiveSurvey, part: Expected) -> list[tuple[int, int]]:
    """Each body twice, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", living.port, timeout=60)

    def status(body: mutated.Body) -> int:
        headers = {"Content-Type": body.content_type, "Sec-Fetch-Site": body.site}
        try:
            connection.request("POST", f"/a/{living.slug}/record", body.data, headers)
            response = connection.getresponse()
            response.read()
        except (http.client.HTTPException, OSError):
            connection.close()  # the next request opens another
            return 0
        return response.status

    try:
        return [(status(body), status(body)) for body, _record in part]
    finally:
        connection.close()


if __name__ == "__main__":
    main()
