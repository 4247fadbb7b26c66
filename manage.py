#!/usr/bin/env python
import os
import sys

from config.start.file_access import UMASK


def prepare() -> None:
    """What holds for every command, before the settings are read."""
    os.umask(UMASK)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # Whoever gives a command waits for it; what serves others does not.
    os.environ.setdefault("DATABASE_STATEMENT_SECONDS", "0")
    os.environ.setdefault("DATABASE_LOCK_SECONDS", "0")


def main() -> None:
    prepare()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
