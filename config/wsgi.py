import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from config.posted_records import answer_posted_first  # noqa: E402
from config.remove_identifying_headers import anonymize_application  # noqa: E402
from config.start import instance_lock  # noqa: E402

instance_lock.lock_shared(settings.VAR)
if settings.METRICS_TOKEN:
    from config.metrics import request_times

    request_times.delete_old_counts(settings.VAR)

# Django loads the pages and the tags of their templates at the first request, which each process of
# config.web_server would do for itself after the fork.
gc.disable()
get_resolver()._populate()
engines.all()
gc.freeze()
gc.enable()

application = anonymize_application(answer_posted_first(_django), settings.BEHIND_PROXY)
