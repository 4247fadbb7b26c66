import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("candor")
app.config_from_object("django.conf:settings.CELERY")
app.autodiscover_tasks()
