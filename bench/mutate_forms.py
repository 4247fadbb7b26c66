"""Sends every field of every form of the product with hostile values, as three people: no answer is 500.

`./run bench mutate_forms` walks all pages of a small world on SQLite and on PostgreSQL, sends each field that it finds
with every value of tests/config/test_mutated_forms.py, without it, twice, and under other names, and takes each request
back. A failure is printed with what broke; then the exit status is 1. For less: `--each 2` draws two values for each
field, with the seed that is printed; `--who superuser`, `--database sqlite`.
"""

import argparse
import json
import logging
import random
import secrets
import subprocess
import sys
from collections import Counter
from time import perf_counter

from django.conf import settings
from django.db import transaction

from bench.load import DATABASES, instance  # it sets Django up
from tests import servers, world
from tests.config.test_mutated_forms import Requests, all_of, forms_of_pages, server_errors, some_of

WHO = ["owner", "reviewer", "superuser"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench mutate_forms", description=__doc__)
    parser.add_argument("--each", type=int, default=0, help="values for each field; 0: all of them")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--who", choices=WHO, action="append")
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        sys.exit(mutate(asked.who or WHO, asked.each, asked.seed))
    print(f"seed {asked.seed}", flush=True)
    words = [sys.executable, "-m", "bench.mutate_forms", "--here", "--each", str(asked.each)]
    words += ["--seed", str(asked.seed), *(word for who in asked.who or WHO for word in ("--who", who))]
    own = {"LOG_LEVEL": "ERROR", "ALLOWED_HOSTS": "testserver", "SITE_URL": "http://testserver"}
    failed = False
    for database in asked.database or DATABASES:
        # A process of its own, with a database of its own.
        with instance(database, own) as env:
            servers.manage(env, "collectstatic", "--no-input", "-v", "0")
            print(database, flush=True)
            failed |= bool(subprocess.run(words, cwd=servers.ROOT, env=env).returncode)
    sys.exit(failed)


def mutate(people: list[str], values: int, seed: int) -> int:
    logging.disable()  # what broke is printed by itself
    # Letters would be written to a folder, and hints to a queue.
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    failures, rng = 0, random.Random(seed)

    def count(requests: Requests, counts: Counter[str]) -> Requests:
        for request in requests:
            counts["requests"] += 1
            yield request

    with transaction.atomic():
        built = world.build()
        for who in people:
            began, counts = perf_counter(), Counter[str]()
            forms = forms_of_pages(built, who)
            all_requests = all_of(built, who, forms)
            requests = some_of(built, who, forms, rng, values) if values else all_requests
            for failure in server_errors(built, count(requests, counts)):
                counts["failures"] += 1
                print(failure, flush=True)
            failures += counts["failures"]
            size = {"forms": len(forms), "fields": sum(len(form.names) for form in forms)}
            seconds = round(perf_counter() - began, 1)
            print(json.dumps({"who": who, **size, **counts, "seconds": seconds}), flush=True)
        transaction.set_rollback(True)
    return int(failures > 0)


if __name__ == "__main__":
    main()
