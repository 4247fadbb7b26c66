"""The command `candor`: what it can do with files, without a server (docs/commands.md)."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from candor.commands.command import CommandError, reading_files

COMMANDS = {
    "audit": "say what a design can reveal about a person",
    "disguise": "disguise a file of true answers into a file of records",
    "mine": "mine the itemsets and rules of a file of records",
    "estimate": "estimate a sensitive number or place",
    "arms": "compare the direct arm with the disguised one",
    "controls": "read control items, and correct shares by them",
    "model": "fit a share of a sensitive answer among plain ones",
    "waves": "compare two waves of a survey",
    "plan": "test a plan of hypotheses",
    "anonymize": "anonymise a table of people",
    "attack": "attack an anonymised table",
    "own-table": "disguise and mine a table of true answers",
}
"""By the name of each command, of which `candor.commands` has a module."""


def main(arguments: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    parser = ArgumentParser(
        prog="candor",
        description="Estimates from disguised answers; in Python, see candor.frequent_patterns.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    module = None
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        # Only what is asked for is loaded.
        if name in words[:1]:
            module = import_module(f"candor.commands.{name.replace('-', '_')}")
            command.description = module.HELP
            module.add_arguments(command)
    options = vars(parser.parse_args(words))
    if module is None:
        parser.print_help()
        return 0
    try:
        with reading_files(getattr(module, "REFUSED_STATUS", 1)):
            module.run(**options)
    except CommandError as error:
        print(f"CommandError: {error}", file=sys.stderr)
        return error.status
    return 0


def run() -> NoReturn:
    """Runs the command as a process, which ends at once: to take down what it loaded takes Python .4 s."""
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
