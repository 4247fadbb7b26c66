"""Candor's settings: read once from the environment; docs/operations.md, "Settings", lists every name."""

import os
from pathlib import Path
from typing import Any

from django.core.management.utils import get_random_secret_key
from django.utils.translation import gettext_lazy as _

from api.webhooks.address_blocks import IPNetwork
from config import content_security_policy, environment, sign_in_providers
from privacy import machine_code_cache
from ui import cookie_and_log_paths

# Products of matrices are small here, and threads of several processes wait for each other. Every process reads this
# before it loads numpy, which reads the variable then.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BASE_DIR = Path(__file__).resolve().parent.parent
env = environment.Environment(os.environ)

PRODUCTION = env.read("PRODUCTION", environment.parse_flag, False)
if PRODUCTION:
    env.require("SECRET_KEY", "production keeps one of its own; `openssl rand -hex 32` makes one")
    env.require("ALLOWED_HOSTS", "production answers to its own names only, such as survey.example.org")
DEBUG = env.read("DEBUG", environment.parse_flag, False)
if DEBUG and PRODUCTION:
    env.complaints.append("DEBUG: shows the inside of the program and is refused in production")

SECRET_KEY = env.read("SECRET_KEY", environment.parse_secret, "") or get_random_secret_key()
ALLOWED_HOSTS = env.read("ALLOWED_HOSTS", environment.parse_hosts, ["localhost", "127.0.0.1", "[::1]"])
HTTPS = env.read("HTTPS", environment.parse_flag, PRODUCTION)
# What every link in a letter, on a page to copy and on a poster begins with.
SITE_URL = env.read(
    "SITE_URL",
    environment.parse_site_address,
    f"{'https' if HTTPS else 'http'}://{ALLOWED_HOSTS[0].removeprefix('.').lower()}",
)
env.check_address_is_allowed("SITE_URL", SITE_URL, ALLOWED_HOSTS)
# Behind a proxy that hands on the name without the port.
CSRF_TRUSTED_ORIGINS = [SITE_URL]
BEHIND_PROXY = env.read("BEHIND_PROXY", environment.parse_flag, False)
VAR = env.read("VAR", environment.parse_exclusive_folder, BASE_DIR / "var")
machine_code_cache.set_fallback_folder(VAR)
BACKUP_LIST = env.read("BACKUP_LIST", environment.parse_exclusive_folder, VAR / "since-backups.list")
TIME_ZONE = env.read("TIME_ZONE", environment.parse_time_zone, "UTC")
LOG_FORMAT = env.read("LOG_FORMAT", environment.parse_one_of("plain", "json"), "plain")
LOG_LEVEL = env.read("LOG_LEVEL", environment.parse_one_of("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")
LEAST_FLOOR = env.read("LEAST_FLOOR", environment.parse_whole_number(20, 100_000), 20)
FIELD_GRACE_DAYS = env.read("FIELD_GRACE_DAYS", environment.parse_whole_number(0, 30), 7)
SEND_AGAIN_DAYS = env.read("SEND_AGAIN_DAYS", environment.parse_whole_number(7, 3650), 60)
RECORDS_PER_MINUTE = env.read("RECORDS_PER_MINUTE", environment.parse_whole_number(1, 1_000_000), 6_000)
COUNTING_THREADS = env.read(
    "COUNTING_THREADS", environment.parse_whole_number(1, 1024), len(os.sched_getaffinity(0))
)
env.refuse_removed_setting("SHARD_RECORDS", "one worker counts all records of a run, so remove it")
LEAST_FREE_MEGABYTES = env.read("LEAST_FREE_MEGABYTES", environment.parse_whole_number(0, 1_000_000_000), 200)
REDIS_URL = env.read("REDIS_URL", environment.parse_redis, "")
HEARTBEAT_SECONDS = env.read("HEARTBEAT_SECONDS", environment.parse_whole_number(1, 60), 5)
TICK_SECONDS = env.read("TICK_SECONDS", environment.parse_whole_number(1, 60), 10)
DATABASE_CONNECT_SECONDS = env.read("DATABASE_CONNECT_SECONDS", environment.parse_whole_number(2, 3600), 5)
DATABASE_STATEMENT_SECONDS = env.read(
    "DATABASE_STATEMENT_SECONDS", environment.parse_whole_number(0, 86_400), 30
)
DATABASE_LOCK_SECONDS = env.read("DATABASE_LOCK_SECONDS", environment.parse_whole_number(0, 86_400), 20)
DATABASES = {
    "default": environment.with_timeouts(
        env.read(
            "DATABASE_URL", environment.parse_database, environment.sqlite_settings(VAR / "candor.sqlite3")
        ),
        connect=DATABASE_CONNECT_SECONDS,
        statement=DATABASE_STATEMENT_SECONDS,
        lock=DATABASE_LOCK_SECONDS,
    )
}
MAIL = env.read("MAIL_URL", environment.parse_mail, environment.parse_mail("console:"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.read(
    "MAIL_FROM", environment.parse_mail_address, "Candor <candor@localhost>"
)
PROVIDERS: list[dict[str, Any]] = env.read("SIGN_IN_PROVIDERS", sign_in_providers.read_identity_providers, [])
# The protocols whose providers are entered in the administration, and those of the file.
SIGN_IN_PROTOCOLS: list[str] = env.read(
    "SIGN_IN_PROTOCOLS", environment.parse_several_of(*sign_in_providers.PROTOCOLS), []
)
SIGN_IN_PROTOCOLS = sorted({*SIGN_IN_PROTOCOLS, *(provider["protocol"] for provider in PROVIDERS)})
PASSWORD_SIGN_IN = env.read("PASSWORD_SIGN_IN", environment.parse_flag, True)
BREAK_GLASS_ACCOUNT = env.read("BREAK_GLASS_ACCOUNT", str, "")
if not PASSWORD_SIGN_IN:
    env.require("BREAK_GLASS_ACCOUNT", "one account keeps its password for the day when no provider answers")
    if not SIGN_IN_PROTOCOLS:
        env.complaints.append("PASSWORD_SIGN_IN: off, and no provider is set; nobody could sign in")
SECOND_FACTOR_FOR: list[str] = env.read(
    "SECOND_FACTOR_FOR", environment.parse_several_of("researchers", "reviewers", "superusers"), []
)
OWNERS_NAME_REVIEWERS = env.read("OWNERS_NAME_REVIEWERS", environment.parse_flag, False)
ONE_PERSON_DOES_BOTH = env.read("ONE_PERSON_DOES_BOTH", environment.parse_flag, False)
METRICS_TOKEN = env.read("METRICS_TOKEN", environment.parse_token, "")
WEBHOOK_HTTP = env.read("WEBHOOK_HTTP", environment.parse_flag, False)
WEBHOOK_NETWORKS: list[IPNetwork] = env.read("WEBHOOK_NETWORKS", environment.parse_private_networks, [])
WEBHOOK_DENY: list[IPNetwork] = env.read("WEBHOOK_DENY", environment.parse_networks, [])
WEBHOOK_PORTS: list[int] = env.read("WEBHOOK_PORTS", environment.parse_ports, [443, 8443])
CONFIRM_MINUTES = env.read("CONFIRM_MINUTES", environment.parse_whole_number(0, 1440), 30)
env.raise_complaints()
globals().update(MAIL)

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    *(f"allauth.socialaccount.providers.{protocol}" for protocol in SIGN_IN_PROTOCOLS),
    "allauth.mfa",
    "ui",
    "accounts",
    "jobs",
    "surveys",
    "importing",
    "intake",
    "intake.disclosure",
    "intake.field_devices",
    "intake.rehearsal",
    "runs",
    "reports",
    "releases",
    "api",
    "papers",
    "deposits",
    "own_tables",
    "config.backup",
    "proof",
    "config.apps.CandorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "config.apps.LoadedConfig",
]
MIDDLEWARE = [
    "ui.request_number.RequestNumber",
    "config.content_security_policy.StaticFileHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.lazy_static_file_serving.LateStaticFiles",
    "config.content_security_policy.ContentSecurityPolicy",
    "intake.endpoint.endpoint.RecordMiddleware",
    "config.health.HealthMiddleware",
    "api.response_middleware.ApiResponses",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.nul_character.RefuseNul",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.page_language_and_theme.LanguageAndTheme",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "accounts.lockout.LockoutPages",
    "accounts.sessions.SessionUse",
    "accounts.second_factor.requirement.SecondFactorRequired",
]
if METRICS_TOKEN:
    MIDDLEWARE.insert(0, "config.metrics.page.MetricsMiddleware")
    # Where the processes of a web server count together; prometheus_client reads this when it is imported.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(VAR / "metrics")
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
                "ui.context_processors.page_frame",
            ],
            "libraries": {"jobs": "jobs.job_status"},
            "builtins": ["django.templatetags.i18n", "ui.templatetags.ui"],
        },
    }
]

AUTH_USER_MODEL = "accounts.Person"
# The first one signs people in. Sessions of before name the second, which is asked for nothing else.
AUTHENTICATION_BACKENDS = ["accounts.lockout.GuessLimit", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["accounts.lockout.LimitedArgon2"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "accounts.password_links.SiteWordsValidator"},
]
# After which a sign-in that must wait is told so: a flood of them waits for itself.
REFUSED_SIGN_IN_SECONDS = 0.25
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "ui:signed-in-home", "accounts:sign-in"
PASSWORD_RESET_TIMEOUT = 3600

# django-allauth: the protocol of providers and the second factor. Its own pages are not served, and
# accounts.password_guess_limits limits guesses in place of its limits.
ACCOUNT_ADAPTER = "accounts.providers.adapters.AccountAdapter"
ACCOUNT_EMAIL_NOTIFICATIONS, ACCOUNT_EMAIL_VERIFICATION = False, "none"
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False
SOCIALACCOUNT_ADAPTER = "accounts.providers.adapters.ProviderAdapter"
SOCIALACCOUNT_PROVIDERS = sign_in_providers.allauth_settings(PROVIDERS)
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = ""
# A form that is sent to another site by a redirect is refused by our policy; a link is not.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5
SOCIALACCOUNT_STORE_TOKENS = False
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ADAPTER, MFA_TOTP_TOLERANCE = "accounts.second_factor.adapter.FactorAdapter", 1

# Counts of failed sign-ins live in the cache and lapse; no table lists who tried. accounts.password_guess_limits has
# the limits.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 3},
    }
    if REDIS_URL
    # Few entries would let an attacker push a count out of the table by failing under many names.
    else {
        "BACKEND": "config.database_cache.StrictDatabaseCache",
        "LOCATION": "accounts_lockout",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

CELERY = {
    "broker_url": REDIS_URL or "filesystem://localhost/",
    "broker_transport": None if REDIS_URL else "jobs.celery_file_transport:Transport",
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
    # A message says that some job waits; the row is the truth. One that is acknowledged late holds a place in the
    # channel until its job ends, and for good where the broker is away at that moment.
    "task_acks_late": False,
    "task_default_queue": "candor",
    # No limit by Celery; jobs.worker.PrefetchLimit fetches one while a process of the pool is free.
    "worker_prefetch_multiplier": 0,
    # A job that runs when the broker goes down runs on; its row needs no broker.
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "worker_enable_remote_control": False,
    "worker_send_task_events": False,
    "worker_hijack_root_logger": False,
    "worker_pool": "jobs.worker_child_processes:ChildProcesses",
    "worker_consumer": "jobs.worker:QuietConsumer",
    "worker_proc_alive_timeout": 60,
    # A killed child sends no late result: its job's row says what became of it.
    "worker_lost_wait": 1,
}

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["config.formats"]
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True

STATIC_URL = cookie_and_log_paths.STATIC
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static", BASE_DIR / "privacy" / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "intake.pages.page_scripts.PageScripts",
]
STORAGES = {
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "config.static_files.HashedFiles"
    },
}
# Django keeps no upload in a file; while it arrives, config.web_server keeps more than 512 kB in one without a name,
# and refuses longer bodies.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = 60_000_000
# Django would open what it stores to all accounts, whatever the umask says.
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = content_security_policy.set_static_file_policy
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
# config.remove_identifying_headers gives each the path of our app. The prefix __Host- would demand one for all paths.
SESSION_COOKIE_NAME = "__Secure-session" if HTTPS else "candor-session"
CSRF_COOKIE_NAME = "__Secure-csrf" if HTTPS else "candor-csrf"
LANGUAGE_COOKIE_NAME = "__Secure-language" if HTTPS else "candor-language"
THEME_COOKIE_NAME = "__Secure-theme" if HTTPS else "candor-theme"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CSRF_COOKIE_HTTPONLY = True
SESSION_ENGINE = "accounts.session_store"
SESSION_COOKIE_AGE = 12 * 3600
CSRF_FAILURE_VIEW = "ui.errors.csrf_failure"
SECURE_SSL_REDIRECT = HTTPS
# Probes ask the process itself, without the proxy that has the certificate.
# The API refuses plain HTTP: a program that is redirected would go on sending its token in the clear.
SECURE_REDIRECT_EXEMPT = ["^healthz$", f"^{cookie_and_log_paths.API.lstrip('/')}"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

LOGGING_CONFIG = None
