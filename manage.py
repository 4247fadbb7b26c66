#!/usr/bin/env python3
import importlib.util
import os
import sys
from contextlib import suppress
from pathlib import Path

from config.start.file_permissions import UMASK


def prepare() -> None:
    """What holds for every command, before the settings are read."""
    os.umask(UMASK)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # A command tells its progress on standard error, where Django writes all in the red of failures.
    os.environ.setdefault("DJANGO_COLORS", "dark;error=,bold")
    # Whoever gives a command waits for it; what serves others does not. An empty value is the default.
    for name in ("DATABASE_STATEMENT_SECONDS", "DATABASE_LOCK_SECONDS"):
        os.environ[name] = os.environ.get(name, "").strip() or "0"


def main() -> None:
    if importlib.util.find_spec("django") is None:
        sys.exit("this Python has no Django: .venv/bin/python manage.py has it, once ./run install was here")
    prepare()
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import ManagementUtility, get_commands
    from django.db import OperationalError, ProgrammingError

    class Management(ManagementUtility):
        def main_help_text(self, commands_only: bool = False) -> str:
            """Lists the commands of Candor's own apps before those of Django and of other packages."""
            text = super().main_help_text(commands_only)
            here = Path(__file__).parent
            apps = (app for app in get_commands().values() if (here / app.partition(".")[0]).is_dir())
            own = [f"[{app.rpartition('.')[2]}]" for app in apps]
            # The first part says how to get help, each other one has its app in brackets on its first line.
            parts = text.split("\n\n")
            first = [part for part in parts[2:] if any(app in part for app in own)]
            return "\n\n".join((*parts[:2], *first, *(part for part in parts[2:] if part not in first)))

    # The first command makes the database there; what is wrong with the settings or the folder it says itself.
    with suppress(ImproperlyConfigured, OSError):
        settings.VAR.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        Management(sys.argv).execute()
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))
    except LookupError as error:
        # Of `check WORD`, which Django meets with a trace; any other is a fault.
        if "--traceback" in sys.argv or not str(error).startswith("No installed app with label"):
            raise
        sys.exit(str(error))
    except (OperationalError, ProgrammingError) as error:
        if "--traceback" in sys.argv:
            raise
        # Its further lines may contain values of rows.
        sys.exit(f"the database: {str(error).partition(chr(10))[0]} (--traceback shows more)")


if __name__ == "__main__":
    main()
