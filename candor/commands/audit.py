"""Computes from a design how much its sensitive sections can reveal about a person; reads no records."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from fractions import Fraction
from pathlib import Path

from candor.commands.command_base import DESIGN, CommandError, write_output
from privacy.designs import parse_design_file
from privacy.guarantee.design_guarantees import audit, parse_probability

HELP = (
    "Say what the sensitive sections of a design reveal at most, as JSON. `sections` has each sensitive section "
    "by itself, `person` all of them together. `admissible` is true where gamma is below the limit that --rho1 "
    "and --rho2 set (`together.limit`). Sections can each keep the limit and break it together: "
    "`together.breaks` names the sections of the smallest groups that break it; empty where all keep it together. "
    "`leakage` is what a record of the section tells in bits, on average and at most, if all answers are equally "
    "likely before; it never replaces the guarantee. "
    "Of a section whose disguise lasts all is said of all rounds in which answers stay the same; "
    "`lasting` has 1, 2, 5 and all rounds, of more than one also with one or two rounds of other answers. "
    "`arms` is the share that is asked directly, for whom nothing of this holds; `chain` is of somebody who "
    "answers the surveys of --follows, too."
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument(
        "--prior", type=_parse_decimal, default=".05", help="how likely something was (default: .05)"
    )
    parser.add_argument(
        "--rho1",
        type=_parse_decimal,
        default=".05",
        help="what at most so likely before (default: .05) ...",
    )
    parser.add_argument(
        "--rho2", type=_parse_decimal, default=".5", help="... must not become so likely (default: .5)"
    )
    parser.add_argument(
        "--follows",
        type=Path,
        action="append",
        default=[],
        metavar="DESIGN",
        help="the design that this one follows; again for the one that it follows, and so on",
    )


def _parse_decimal(text: str) -> Fraction:
    try:
        return parse_probability(text)
    except ValueError:
        raise ArgumentTypeError("must be a decimal between 0 and 1, such as .05") from None


def run(design: Path, follows: list[Path], prior: Fraction, rho1: Fraction, rho2: Fraction) -> None:
    if rho1 >= rho2:
        raise CommandError("--rho1 must be less than --rho2", status=2)
    earlier = [parse_design_file(path) for path in follows]
    verdict = audit(parse_design_file(design), prior, rho1, rho2, earlier=earlier)
    if verdict.section_names:
        print(f"Sensitive, in this order: {verdict.section_names}", file=sys.stderr)
    if verdict.exceeds_only_together:
        print("Each section keeps the limit, but all together break it.", file=sys.stderr)
    write_output([json.dumps(verdict.as_json(), indent=2), "\n"])
