"""What a record costs: its request beside its two inserts alone and beside the barest view, and the bytes of its key.

`./run bench record [--database postgresql] [--records 400] [--keys 200000]` stores records in this process, through all
that a request passes, in turns of ten with the same inserts in a transaction each, and with a view of Django that makes
them, checks nothing and passes no middleware. Times are medians of processor time, that of PostgreSQL not included.
Then it seals simulated keys in fifty sealings: their bytes are those of the tables with their indexes.
"""

import argparse
import json

from bench.load import DATABASES, instance, shell

MEASURE = """
import json, os, secrets, statistics, time
from io import BytesIO
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import override_settings
from django.urls import path
from config.wsgi import application
from intake.batches import overwrite_deleted, seen_keys
from intake.endpoint.store_record import PUT
from intake.models import FreshKey, Inbox, SeenKeys, random_inbox_id
from tests.intake import asked

RECORDS, KEYS, BLOCK = %d, %d, 10
design = asked.design(least=20, digits=40)
survey = asked.survey(design)
EPOCH = asked.envelope(design, 0).epoch
INSERT_KEY = "INSERT INTO intake_freshkey (hash, survey_id, epoch) VALUES (%%s, %%s, %%s)"
OTHER = survey.pk + 1  # no survey: rows that wait for this one would make its records dearer

def ask(handler, envelope):
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": f"/a/{survey.slug}/record", "SERVER_NAME": "localhost",
        "SERVER_PORT": "80", "HTTP_HOST": "localhost", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "http", "wsgi.input": BytesIO(envelope), "CONTENT_LENGTH": str(len(envelope)),
        "CONTENT_TYPE": "application/json", "HTTP_SEC_FETCH_SITE": "same-origin", "SCRIPT_NAME": "",
        "QUERY_STRING": "", "wsgi.errors": BytesIO(), "wsgi.multithread": True, "wsgi.multiprocess": True,
        "wsgi.run_once": False, "wsgi.version": (1, 0),
    }
    status = []
    answer = handler(environ, lambda line, headers, failure=None: status.append(line))
    b"".join(answer)
    if hasattr(answer, "close"):
        answer.close()
    if not status[0].startswith("201"):
        raise SystemExit(f"a record was answered {status[0]}")

def insert(envelope):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(INSERT_KEY, [secrets.token_bytes(16), OTHER, EPOCH])
        cursor.execute(PUT, [random_inbox_id(), OTHER, b"1" + envelope[-43:-3]])

def barest(request, slug):
    insert(request.body)
    return HttpResponse(status=201)

with override_settings(MIDDLEWARE=[], ROOT_URLCONF=(path("a/<slug:slug>/record", barest),)):
    barest_handler = WSGIHandler()
    works = {
        "record": lambda envelope: ask(application, envelope),
        "inserts": insert,
        "barest view": lambda envelope: ask(barest_handler, envelope),
    }
    spent = {name: [] for name in works}
    for block in range(-1, RECORDS // BLOCK):
        for name, work in works.items():
            for number in range(BLOCK):
                envelope = asked.envelope(design).json.encode()
                began = time.process_time()
                work(envelope)
                if block >= 0:
                    spent[name].append(time.process_time() - began)
figures = {name: round(1e6 * statistics.median(times)) for name, times in spent.items()}

FreshKey.objects.all().delete()
Inbox.objects.all().delete()

def size():
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            tables = [model._meta.db_table for model in (FreshKey, SeenKeys)]
            cursor.execute("SELECT SUM(pg_total_relation_size(name::regclass)) FROM unnest(%%s::text[]) name", [tables])
            return int(cursor.fetchone()[0])
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        used = cursor.execute("PRAGMA page_count").fetchone()[0] - cursor.execute("PRAGMA freelist_count").fetchone()[0]
        return used * cursor.execute("PRAGMA page_size").fetchone()[0]

before = size()
for sealing in range(50):
    fresh = [FreshKey(survey=survey, hash=secrets.token_bytes(16), epoch=EPOCH) for _ in range(KEYS // 50)]
    FreshKey.objects.bulk_create(fresh, batch_size=300)
    with transaction.atomic():
        seen_keys.move_fresh_keys(survey.pk)
        overwrite_deleted.schedule_overwriting(FreshKey)
overwrite_deleted.overwrite_deleted_rows()
figures["bytes of a key"] = round((size() - before) / KEYS, 1)
print(json.dumps(figures))
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench record", description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default=DATABASES[0])
    parser.add_argument("--records", type=int, default=400)
    parser.add_argument("--keys", type=int, default=200_000)
    asked = parser.parse_args()
    with instance(asked.database, {"RECORDS_PER_MINUTE": "1000000"}) as env:
        figures = json.loads(shell(env, MEASURE % (asked.records, asked.keys)).splitlines()[-1])
    record = figures["record"]
    print(f"{asked.database}: a record {record} us, bytes of a sealed key {figures['bytes of a key']}")
    print(f"    its two inserts alone {figures['inserts']} us: {record / figures['inserts']:.2f} times")
    barest = figures["barest view"]
    print(f"    the barest view {barest} us: a record has {barest / record:.2f} of its rate")


if __name__ == "__main__":
    main()
