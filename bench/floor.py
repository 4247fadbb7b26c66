"""The barest Django view that makes the same two inserts: no middleware, no parsing, no checks, no sealing."""

import os
import secrets
from uuid import uuid4

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path

SURVEY = int(os.environ.get("FLOOR_SURVEY", "0"))
KEY = "INSERT INTO intake_freshkey (hash, survey_id) VALUES (%s, %s)"
RECORD = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"


def store(request: HttpRequest, slug: str) -> HttpResponse:
    number = uuid4() if connection.vendor == "postgresql" else uuid4().hex
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(KEY, [secrets.token_hex(32), SURVEY])
        cursor.execute(RECORD, [number, SURVEY, request.body[-44:-3]])
    return HttpResponse(status=201, headers={"Content-Length": "0"})


urlpatterns = [path("a/<slug:slug>/record", store)]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
settings.MIDDLEWARE = []
settings.ROOT_URLCONF = "bench.floor"
application = get_wsgi_application()
