"""What a record costs: its request beside its two inserts alone and beside the barest view, and the bytes of its key.

`./run bench record [--database postgresql] [--records 400] [--keys 200000]` stores records in this process, through all
that a request passes, in turns with the same inserts in a transaction each, and with a view of Django that answers
nothing and passes no middleware. Times are medians of processor time, that of PostgreSQL not included. Then it seals
simulated keys in fifty sealings: their bytes are those of the tables with their indexes.
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
from intake.endpoint import store_record
from intake.models import FreshKey, Inbox, SeenKeys, random_inbox_id
from tests.intake import asked

RECORDS, KEYS = %d, %d
design = asked.design(least=20, digits=40)
survey = asked.survey(design)
EPOCH = asked.envelope(design, 0).epoch
INSERT_KEY = "INSERT INTO intake_freshkey (hash, survey_id, epoch) VALUES (%%s, %%s, %%s)"

def ask(handler, path, body=b""):
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": path, "SERVER_NAME": "localhost", "SERVER_PORT": "80",
        "HTTP_HOST": "localhost", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": "application/json",
        "HTTP_SEC_FETCH_SITE": "same-origin", "SCRIPT_NAME": "", "QUERY_STRING": "", "wsgi.errors": BytesIO(),
        "wsgi.multithread": True, "wsgi.multiprocess": True, "wsgi.run_once": False, "wsgi.version": (1, 0),
    }
    status = []
    answer = handler(environ, lambda line, headers, failure=None: status.append(line))
    b"".join(answer)
    answer.close()
    return status[0]

def record(envelope):
    status = ask(application, f"/a/{survey.slug}/record", envelope)
    if not status.startswith("201"):
        raise SystemExit(f"a record was answered {status}")

def inserts(envelope):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(INSERT_KEY, [secrets.token_bytes(16), survey.pk, EPOCH])
        cursor.execute(store_record.PUT, [random_inbox_id(), survey.pk, b"1" + b"0" * 40])

urlpatterns = [path("barest", lambda request: HttpResponse(status=201))]
with override_settings(MIDDLEWARE=[], ROOT_URLCONF=tuple(urlpatterns)):
    barest_handler = WSGIHandler()

def barest(envelope):
    with override_settings(ROOT_URLCONF=tuple(urlpatterns)):
        began = time.process_time()
        ask(barest_handler, "/barest")
        return time.process_time() - began

spent = {"record": [], "inserts": [], "barest view": []}
for number in range(RECORDS):
    envelope = asked.envelope(design, number).json.encode()
    for name, work in (("record", record), ("inserts", inserts), ("barest view", barest)):
        began = time.process_time()
        own = work(envelope)
        spent[name].append(own if own is not None else time.process_time() - began)
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
    print(f"    the barest view {figures['barest view']} us: {record / figures['barest view']:.2f} times")


if __name__ == "__main__":
    main()
