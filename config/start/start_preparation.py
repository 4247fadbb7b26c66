"""Prepares a start: names, port, folder, key, database and files.

Refuses it with a one-line reason if that is impossible.
"""

import argparse
import contextlib
import hashlib
import json
import logging
import os
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from config import environment
from config.start import file_permissions, instance_lock, process_supervisor
from config.start.database_wait import wait_for_database

logger = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parent.parent.parent
EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - listened on -> where it is reached

PORT_PATIENCE = 3.0
"""Seconds to wait for a port that was used a moment ago."""
MIGRATING = 0x63616E646F72  # "candor": the number of the advisory lock under which a PostgreSQL is migrated


class StartRefused(Exception):
    """Raised to end the program with its message, one line."""


# --- names and ports ------------------------------------------------------------------------------


def host_and_port(host: str, port: int) -> str:
    """Returns host:port as in a URL, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def host_to_reach(host: str) -> str:
    """Returns the host under which a browser on this machine reaches a server that listens on `host`."""
    return EVERYWHERE.get(host, host)


def reachable_host_names(host: str) -> list[str]:
    """Returns the host names by which a server that listens on `host` can be reached on this machine."""
    names = ["localhost", "127.0.0.1", "::1", host_to_reach(host), socket.gethostname()]
    if host in EVERYWHERE:
        names += network_address()
    hosts = dict.fromkeys(f"[{name}]" if ":" in name else name.lower() for name in names)
    return [host for host in hosts if environment.HOST.fullmatch(host)]


def reachable_url(host: str, port: int) -> str:
    """Returns the URL at which others reach a server on this machine that listens on `host`."""
    outward = next(network_address(), "") if host in EVERYWHERE else ""
    name = outward or host_to_reach(host).removeprefix(".").strip("[]")
    return f"http://{host_and_port(name, port).lower()}"


def network_address() -> Iterator[str]:
    """Yields the machine's address on its network, if any; sends nothing to find it."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        yield str(probe.getsockname()[0])


def check_port_is_free(host: str, port: int, patience: float = 0) -> None:
    """Raises `StartRefused` if the port cannot be bound within `patience` seconds."""
    if not 0 < port < 65536:
        raise StartRefused(f"{port} is not a port; choose one from 1 to 65535 with --port")
    until = time.monotonic() + patience
    while True:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
                return
            except (OSError, UnicodeError) as error:
                reason = getattr(error, "strerror", "") or "not a host name"
        if time.monotonic() >= until:
            advice = f", as in --port {port + 1}" if port < 65535 else " with --port"
            raise StartRefused(
                f"cannot listen on {host_and_port(host, port)} ({reason}); choose another{advice}"
            )
        time.sleep(0.1)


# --- folder, key and files ------------------------------------------------------------------------


def require_writable_folder(folder: Path) -> None:
    """Creates a folder if needed; raises `StartRefused` if this account cannot write in it."""
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StartRefused(
            f"cannot write in {folder} ({error.strerror}); make it writable, or name another folder with VAR="
        ) from None


def close_to_other_accounts(serving: bool) -> None:
    """Removes other accounts' access to the instance's files.

    If that is impossible, raises when `serving`, else prints a warning.
    """
    from django.conf import settings  # late for Django

    paths = file_permissions.protected_paths(settings)
    file_permissions.close_to_others(paths)
    exposed = next(file_permissions.paths_open_to_others(paths), None)
    if exposed is None:
        return
    words = (
        f"other accounts of this machine can open {exposed}, and this account cannot change that; "
        f"run this once as its owner: chmod -R go-rwx {exposed}"
    )
    if serving:
        raise StartRefused(words)
    print(f"Careful: {words}", file=sys.stderr)


def stored_or_new_secret(folder: Path) -> str:
    """Returns the secret key stored in a folder, or a new one, which is not stored yet."""
    path = folder / "secret-key"
    try:
        return (path.read_text().strip() if path.exists() else "") or secrets.token_hex(32)
    except OSError as error:
        raise StartRefused(KEY_NOT_KEPT.format(path=path, why=error.strerror)) from None


def store_secret(folder: Path, key: str, in_use: Callable[[], bool]) -> None:
    """Stores a new secret key completely or not at all, unless one is stored.

    Raises `StartRefused` if `in_use` returns True: the accounts were made with a key that is now missing.
    """
    path = folder / "secret-key"
    try:
        if path.exists() and path.read_text().strip():
            return
        if in_use():
            raise StartRefused(
                f"the database has accounts, and the key it was used with is not there: put {path} back, or write a "
                "new one into it with `openssl rand -hex 32`, after which everybody signs in again and no older backup "
                "can be restored"
            )
        write_atomically(path, key)
    except OSError as error:
        raise StartRefused(KEY_NOT_KEPT.format(path=path, why=error.strerror)) from None


def has_accounts() -> bool:
    from django.db import connection  # late for Django

    from accounts.models import Person  # late for Django

    try:
        return Person._meta.db_table in connection.introspection.table_names() and Person.objects.exists()
    finally:
        connection.close()


KEY_NOT_KEPT = (
    "cannot keep a key in {path} ({why}); see to it that this account can read and write it, "
    "or give a key with SECRET_KEY="
)


def write_atomically(path: Path, text: str) -> None:
    """Writes a file completely or not at all; only this account may read it."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as part:
        new = Path(part.name)
        try:
            part.write(text)
            part.flush()
            os.fsync(part.fileno())
            new.replace(path)
        except OSError:
            new.unlink(missing_ok=True)
            raise


def served_static_files() -> list[tuple[str, str]]:
    """Returns the served name and the path of every static file, sorted."""
    from django.contrib.staticfiles.finders import get_finders  # late for Django

    return sorted((name, storage.path(name)) for finder in get_finders() for name, storage in finder.list([]))


def static_digest() -> str:
    """Returns a digest of the names and contents of all static files, and of the packages that process them."""
    files = [("requirements.lock", str(ROOT / "requirements.lock")), *served_static_files()]
    contents = [[name, hashlib.sha256(Path(path).read_bytes()).hexdigest()] for name, path in files]
    return hashlib.sha256(json.dumps(contents).encode()).hexdigest()


def collect_static(var: Path, *, with_brotli: bool) -> None:
    """Collects the static files into `var`, unless they are there; `with_brotli`: also compressed."""
    from django.core.management import call_command  # late for Django

    from config.static_files import HashedFiles  # late for Django

    stamp, digest = var / "static-collected", static_digest()
    HashedFiles.uses_brotli = with_brotli
    collected = stamp.read_text() if stamp.exists() else ""
    if collected in (f"{digest} True", f"{digest} {with_brotli}"):
        return
    # Broken off in the middle, what an earlier version collected is not whole either.
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(f"{digest} {with_brotli}")


# --- database -------------------------------------------------------------------------------------


def refuse_database_of_earlier_version() -> None:
    """Refuses the start with a database that an earlier development version made; changes nothing."""
    from django.db import connection  # late for Django

    from config import migration_digests  # late for Django

    words = migration_digests.reason_to_refuse_database(connection)
    connection.close()  # SQLite's files beside the database go with the last connection
    if words:
        raise StartRefused(words)


def migrate() -> None:
    """Applies all migrations to the database; machines that start together on one PostgreSQL take turns."""
    from django.core.management import call_command  # late for Django
    from django.db import connection  # late for Django

    from jobs import database  # late for Django

    # A migration, and a machine before us, may take their time.
    database.set_timeouts(statement=0, lock=0)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATING])
    call_command("migrate", interactive=False, verbosity=0)
    # The lock belongs to the connection and ends with it.
    connection.close()


def check_settings() -> None:
    """Runs Django's system checks; logs warnings, and refuses to start if there is an error."""
    from django.core import checks  # late for Django

    messages = [message for message in checks.run_checks(databases=["default"]) if not message.is_silenced()]
    refusals = [str(message) for message in messages if message.is_serious()]
    if refusals:
        raise StartRefused("\n".join(refusals))
    for message in messages:
        logger.warning("%s", one_line(message))


# --- all of it ------------------------------------------------------------------------------------


def preset_environment_variables(options: argparse.Namespace) -> bool:
    """Sets the environment variables that the command presets.

    Returns True if the secret key is the instance's own.
    """
    serving = options.command == "serve"
    if serving:
        set_if_unset("PRODUCTION", "yes")
    env = environment.Environment(os.environ)
    production = env.read("PRODUCTION", environment.parse_flag, False)
    var = env.read("VAR", environment.parse_exclusive_folder, ROOT / "var")
    names = env.read("ALLOWED_HOSTS", environment.parse_hosts, list[str]())
    if env.complaints:
        return False  # the settings will make them, together with all others
    if production and not serving:
        raise StartRefused(
            "this makes accounts whose names anybody knows, and a production instance gets none; use ./run serve, "
            f"or start without PRODUCTION={os.environ['PRODUCTION']}"
        )
    require_writable_folder(var)
    own_key = not production and is_unset("SECRET_KEY")
    if own_key:
        os.environ["SECRET_KEY"] = stored_or_new_secret(var)
    if not serving:
        set_if_unset("MAIL_URL", f"file://{quote(str(var / 'mail'))}")
        set_if_unset("ALLOWED_HOSTS", ",".join(reachable_host_names(options.host)))
        set_if_unset("SITE_URL", reachable_url(names[0] if names else options.host, options.port))
    if options.command == "dev":
        set_if_unset("DEBUG", "yes")
    return own_key


def is_unset(name: str) -> bool:
    """Returns True if an environment variable is missing or empty."""
    return not os.environ.get(name, "").strip()


def set_if_unset(name: str, value: str) -> None:
    if is_unset(name):
        os.environ[name] = value


def require_free_ports(host: str, ports: list[int]) -> None:
    """Locks the first port for this supervisor; refuses the start if a port is not free."""
    env = environment.Environment(os.environ)
    var = env.read("VAR", environment.parse_exclusive_folder, ROOT / "var")
    try:
        was_used = not env.complaints and var.is_dir() and instance_lock.claim_maybe_used_port(var, ports[0])
    except instance_lock.InstanceLocked as error:
        raise StartRefused(str(error)) from None
    except OSError as error:
        raise StartRefused(f"cannot write in {var} ({error.strerror})") from None
    for port in ports:
        # Processes of a supervisor that was killed may still have it for a moment.
        check_port_is_free(host, port, PORT_PATIENCE if was_used else 0)
    if len(set(ports)) < len(ports):
        raise StartRefused(f"--port and --respondents-port are both {port}; choose two")


def prepare_start(options: argparse.Namespace) -> dict[str, str]:
    """Prepares environment, folders, database and files; returns the environment for the processes."""
    own_key = preset_environment_variables(options)
    ports = [port for port in (options.port, options.respondents_port) if port is not None and options.web]
    if ports and getattr(options, "second_party", False):
        ports.append(options.port + 1)
    if ports:
        require_free_ports(options.host, ports)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django  # late for Django
    from django.conf import settings  # late for Django
    from django.core.exceptions import ImproperlyConfigured  # late for Django
    from django.core.management import CommandError  # late for Django
    from django.db import DatabaseError, OperationalError, connections  # late for Django
    from django.db.migrations.exceptions import InconsistentMigrationHistory  # late for Django

    from jobs import database  # late for Django

    step = process_supervisor.print_step if options.command != "serve" else log_step
    try:
        with step("Loading the product"):
            django.setup()
        if options.command == "serve":
            wait_for_database(options.host, ports)
        refuse_database_of_earlier_version()
        if own_key:
            store_secret(settings.VAR, os.environ["SECRET_KEY"], has_accounts)
        close_to_other_accounts(options.command == "serve")
        instance_lock.lock_shared(settings.VAR)
        with step("Preparing the database"):
            migrate()
        with step("Collecting static files"):
            collect_static(settings.VAR, with_brotli=options.command == "serve")
            check_settings()
    except (ImproperlyConfigured, CommandError, instance_lock.InstanceLocked) as error:
        raise StartRefused(str(error)) from None
    except OperationalError as error:
        words = database.outage_text(error) or database.DATABASE
        raise StartRefused(f"{words}: {one_line(error)}") from None
    except (DatabaseError, InconsistentMigrationHistory) as error:
        damaged = any(words in str(error) for words in ("malformed", "not a database"))
        advice = "; restore a backup, or move the file away" if damaged else ""
        raise StartRefused(f"the database cannot be made ready: {one_line(error)}{advice}") from None
    except OSError as error:
        raise StartRefused(
            f"cannot use {error.filename or settings.VAR} ({error.strerror or error})"
        ) from None
    if options.command == "serve":
        logger.info(
            "Starting %s", " and ".join(name for name in ("web", "workers") if getattr(options, name))
        )
    connections.close_all()
    # Celery would make the same checks again, and say nothing of what they find.
    own = {"VAR": str(settings.VAR), "CELERY_SKIP_CHECKS": "yes"}
    # glibc would give each thread of a web process a heap of its own; with two in all it holds 10 MB less, and pages
    # take at most 2 % more processor time.
    return {"MALLOC_ARENA_MAX": "2", **os.environ, **own}


@contextlib.contextmanager
def log_step(words: str) -> Iterator[None]:
    """Context manager: logs the step that begins; does nothing before logging is set up."""
    logger.info("%s", words)
    yield


def one_line(error: object) -> str:
    return " ".join(str(error).split())
