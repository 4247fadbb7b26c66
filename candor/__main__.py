"""The console script `candor`."""

from argparse import ArgumentParser
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(
        prog="candor",
        description="Estimates from disguised records. It has no command yet; see candor.frequent_patterns.",
    )
    parser.parse_args(arguments)
    parser.print_help()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
