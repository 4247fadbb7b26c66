from argparse import ArgumentParser
from math import exp, sqrt

from candor.commands.command_base import print_json
from candor.places import Edges, square_mechanism
from privacy.grammar.input_error import InputError, mark_for_translation as _

HELP = "Say the best square of near points for places on a plane, and its error, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("width", type=float, help="of the plane, in any unit")
    parser.add_argument("height", type=float, help="of the plane")
    parser.add_argument("epsilon", type=float, help="logarithm of the amplification")
    parser.add_argument(
        "--region",
        action="append",
        default=[],
        metavar="LEFT,BOTTOM,RIGHT,TOP",
        help="a rectangle of protected places; again for a second (default: the whole plane)",
    )


def run(width: float, height: float, epsilon: float, region: list[str]) -> None:
    law = square_mechanism(width, height, list(map(read_edges, region)), epsilon=epsilon)
    print_json(
        {
            "amplification": exp(epsilon),
            "side": law.width,
            "near_probability": law.near_probability,
            "root_mean_squared_error": sqrt(law.error()),
        }
    )


def read_edges(text: str) -> Edges:
    try:
        left, bottom, right, top = map(float, text.split(","))
    except ValueError:
        raise InputError("region", _("has four numbers: LEFT,BOTTOM,RIGHT,TOP")) from None
    return left, bottom, right, top
