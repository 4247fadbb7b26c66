"""Candor's settings: read once from the environment; README, "Operations", lists every name."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key
from django.utils.translation import gettext_lazy as _

from config import environment, policy

BASE_DIR = Path(__file__).resolve().parent.parent
env = environment.Environment(os.environ)

PRODUCTION = env.read("PRODUCTION", environment.flag, False)
if PRODUCTION:
    env.demand("SECRET_KEY", "production keeps one of its own; `openssl rand -hex 32` makes one")
    env.demand("ALLOWED_HOSTS", "production answers to its own names only, such as survey.example.org")
DEBUG = env.read("DEBUG", environment.flag, False)
if DEBUG and PRODUCTION:
    env.complaints.append("DEBUG: shows the inside of the program and is refused in production")

SECRET_KEY = env.read("SECRET_KEY", environment.secret, "") or get_random_secret_key()
ALLOWED_HOSTS = env.read("ALLOWED_HOSTS", environment.hosts, ["localhost", "127.0.0.1", "[::1]"])
HTTPS = env.read("HTTPS", environment.flag, PRODUCTION)
BEHIND_PROXY = env.read("BEHIND_PROXY", environment.flag, False)
VAR = env.read("VAR", environment.folder, BASE_DIR / "var")
TIME_ZONE = env.read("TIME_ZONE", environment.zone, "UTC")
LOG_LEVEL = env.read("LOG_LEVEL", environment.one_of("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")
LEAST_FLOOR = env.read("LEAST_FLOOR", environment.whole(20, 100_000), 20)
SHARD_RECORDS = env.read("SHARD_RECORDS", environment.whole(64, 1_000_000_000), 2_000_000)
REDIS_URL = env.read("REDIS_URL", environment.redis, "")
HEARTBEAT_SECONDS = env.read("HEARTBEAT_SECONDS", environment.whole(1, 60), 5)
TICK_SECONDS = env.read("TICK_SECONDS", environment.whole(1, 60), 10)
DATABASES = {
    "default": env.read("DATABASE_URL", environment.database, environment.sqlite(VAR / "candor.sqlite3"))
}
MAIL = env.read("MAIL_URL", environment.mail, environment.mail("console:"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.read("MAIL_FROM", environment.address, "Candor <candor@localhost>")
env.settle()
globals().update(MAIL)

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "look",
    "people",
    "jobs",
    "surveys",
    "surveys.intake",
    "mining",
    "mining.reports",
    "papers",
    "config.admin.CandorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "axes",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.policy.ContentSecurityPolicy",
    "config.health.Shortcut",
    "surveys.intake.endpoint.Shortcut",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "people.language.PersonsLanguage",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "look.frame.frame",
            ],
            "builtins": ["django.templatetags.i18n", "look.templatetags.look"],
        },
    }
]

AUTH_USER_MODEL = "people.Person"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "people:sign-in"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "look:home"
PASSWORD_RESET_TIMEOUT = 3600

# Counts of failed sign-ins live in the cache and lapse; no table ever lists who tried.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "people.lockout.locked_out"
AXES_CLIENT_IP_CALLABLE = "people.lockout.client_address"
AXES_ENABLE_ADMIN = False
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    # Few entries would let an attacker push a count out of the table by failing under many names.
    else {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "people_lockout",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

CELERY = {
    "broker_url": REDIS_URL or "filesystem://localhost/",
    "broker_transport": None if REDIS_URL else "jobs.folder:Transport",
    "broker_transport_options": {
        "max_retries": 1,
        "interval_start": 0,
        "socket_connect_timeout": 2,
        "socket_timeout": 3,
    }
    if REDIS_URL
    else {"data_folder_in": str(VAR / "broker"), "polling_interval": 0.2},
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
    "broker_channel_error_retry": True,
    "task_ignore_result": True,
    "task_acks_late": True,
    "task_default_queue": "candor",
    "worker_prefetch_multiplier": 1,
    # A job that runs when the broker goes down runs on; its row needs no broker.
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "worker_enable_remote_control": False,
    "worker_send_task_events": False,
    "worker_hijack_root_logger": False,
    "worker_pool": "prefork",
    "worker_proc_alive_timeout": 60,
    # A killed child sends no late result: its job's row says what became of it.
    "worker_lost_wait": 1,
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static", BASE_DIR / "privacy" / "static"]
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": VAR / "files"},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "config.static_files.HashedFiles"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = policy.of_static_files
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = ("__Host-session", "__Host-csrf") if HTTPS else ("session", "csrf")
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 12 * 3600
CSRF_FAILURE_VIEW = "look.errors.csrf"
SECURE_SSL_REDIRECT = HTTPS
# Who probes asks the process itself, without the proxy that has the certificate.
SECURE_REDIRECT_EXEMPT = ["^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

LOGGING_CONFIG = None
