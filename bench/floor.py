"""The barest Django view that stores a record as durably as the product: the same two inserts, committed the same way.

On SQLite the requests that arrive during a commit share the next one; on PostgreSQL both inserts are one statement, and
the connection is not asked first whether it still works: one round trip. No middleware, no parsing, no checks, no
sealing.
"""

import os
import secrets
from uuid import uuid4

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

SURVEY = int(os.environ.get("FLOOR_SURVEY", "0"))
KEY = "INSERT INTO intake_freshkey (hash, survey_id) VALUES (%s, %s)"
RECORD = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"


def store(request: HttpRequest, slug: str) -> HttpResponse:
    key, record = secrets.token_hex(32), request.body[-44:-3]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"WITH fresh AS ({KEY}) {RECORD}", [key, SURVEY, uuid4(), SURVEY, record])
    else:
        group.do(lambda: insert(key, record))
    return HttpResponse(status=201, headers={"Content-Length": "0"})


def insert(key: str, record: bytes) -> None:
    with connection.cursor() as cursor:
        cursor.execute(KEY, [key, SURVEY])
        cursor.execute(RECORD, [uuid4().hex, SURVEY, record])


urlpatterns = [path("a/<slug:slug>/record", store)]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
settings.MIDDLEWARE = []
settings.ROOT_URLCONF = "bench.floor"
settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] = False
application = get_wsgi_application()
from intake.endpoint.store_record import GroupCommit  # noqa: E402

group: GroupCommit[None] = GroupCommit()
