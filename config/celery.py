import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

app = Celery("candor")
# Also for the threads of a web server, which would otherwise get an application of no broker.
app.set_default()
app.config_from_object(settings.CELERY)
app.autodiscover_tasks()
app.steps["worker"].add("jobs.worker:Tick")
