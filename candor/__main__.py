"""The command `candor`: checks, disguises, mines and anonymises files, without
a server (docs/commands.md)."""

import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import NoReturn

import candor
from candor.commands.command_base import CommandError, convert_input_errors

COMMANDS = {
    "check": "check a design and records",
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
    "breaches": "say what records tell of people, by any matrix",
    "square-mechanism": "find the best square for places on a plane",
    "lattice": "list or draw the generalisations of a table",
    "own-table": "disguise and mine a table of true answers",
    "completion": "print what completes these commands in a shell",
}
"""Help text of each command by name; each has a module in `candor.commands`."""


STATUSES = "exit status: 0 done, 1 refused or failed, with the reason on standard error, 2 wrong usage"


class ShowVersion(Action):
    """Prints the version, which is read when it is asked for."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, *args: object) -> NoReturn:
        print(f"candor {candor.__version__}")
        parser.exit()


def make_parser(loaded: Callable[[str], bool]) -> tuple[ArgumentParser, dict[str, ModuleType]]:
    """Returns the command-line parser with all commands, and the modules of the commands for which `loaded` is true;
    only these commands get their options."""
    parser = ArgumentParser(
        prog="candor",
        description="Estimates from disguised answers, and publishes tables of people. In Python: import candor.",
        epilog=f"{STATUSES}. COMMAND --help explains a command.",
    )
    parser.add_argument(
        "--version", action=ShowVersion, nargs=0, default=SUPPRESS, help="print the version and exit"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    modules = {}
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if loaded(name):
            module = import_module(f"candor.commands.{name.replace('-', '_')}")
            command.description = module.HELP
            command.epilog = getattr(module, "STATUSES", STATUSES)
            module.add_arguments(command)
            modules[name] = module
    return parser, modules


def main(arguments: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    # Only what is asked for is loaded.
    parser, modules = make_parser(lambda name: name in words[:1])
    options = vars(parser.parse_args(words))
    if not modules:
        parser.print_help()
        return 0
    (module,) = modules.values()
    if words[0] == "completion":
        options |= {"parser": make_parser(lambda name: True)[0]}
    try:
        with convert_input_errors():
            module.run(**options)
    except CommandError as error:
        if str(error):
            print(f"candor: {error}", file=sys.stderr)
        refused: int = getattr(module, "REFUSED_STATUS", 1)
        return error.status or refused
    return 0


def run() -> NoReturn:
    """Runs the command as a process and exits at once, since Python's own cleanup of loaded modules takes .4 s."""
    # Threads for large matrices, which no command has, cost time to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    status = main()
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
