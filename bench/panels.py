"""How many respondents do rounds with the same people need? Computed, and written to bench/figures/panels.md.

python -m bench.panels [-o bench/figures/panels.md]
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from privacy.guarantee.rounds import keep_of, lasting, split, stages

ROUNDS = (2, 4, 12, 52)
SETTINGS = ((1, 6), (1, 19), (1, 50), (3, 6), (3, 19), (5, 19))
"""Questions asked together, and G."""

ABOUT = """# The same people again

Made by `python -m bench.panels`.

A panel, a diary or a yearly survey asks the same people the same questions again. There are three ways, and the
table says how many respondents each round needs, as a multiple of one asking with the same guarantee G (a share
of .1, noise .5, the same error; `privacy/guarantee/rounds.py`).

* **Split**: each round is disguised anew, with the keep of G^(1/T). All histories of answers are within G.
* **At random**: each person is asked in one round only, drawn at random. All histories are within G, however
  often answers change, and an average over all rounds is best measured like this.
* **Lasting**: a permanent disguise for each true answer, from a code of eighteen characters that the person
  keeps, and an instant one in each round (`lasting`, [formats.md](../../docs/formats.md)). All rounds together are
  within G *while the answers stay the same*. One round with other answers can multiply that by H once, and a lost code
  makes it G^2. Answers that change for good, or waver, are not bounded. The number does not depend on T.

If every change must be protected, ask at random. If answers are stable and each round's share, or the change,
is wanted, `lasting` is cheaper wherever its number is below T. Above three questions together, first ask each
person fewer of them.

A rehearsal shows what a study would find: of a survey whose disguise lasts, the same simulated persons answer in each
round (`intake/rehearsal/persons.py`), each with a code, one in twenty with other answers than in the round before.
The report of a further round has the true difference beside each estimated one.

"""


def written() -> str:
    return ABOUT + "\n".join([*table(), ""])


def table() -> Iterator[str]:
    several = [f"split, T = {rounds}" for rounds in ROUNDS]
    columns = [
        "questions",
        "G",
        "keep of one asking",
        *several,
        "at random",
        "lasting, H = G",
        "lasting, H = G²",
    ]
    yield f"| {' | '.join(columns)} |"
    yield "|--:|--:|--:|" + "--:|" * (len(ROUNDS) + 3)
    for questions, gamma in SETTINGS:
        rarest = Fraction(1, 2**questions)
        once = f"{float(keep_of(Fraction(gamma), rarest)):.3f}"
        splits = [number(split(gamma, float(rarest), rounds)) for rounds in ROUNDS]
        lasts = [
            number(lasting(stages(Fraction(gamma), Fraction(departure), rarest)))
            for departure in (gamma, gamma**2)
        ]
        yield f"| {questions} | {gamma} | {once} | {' | '.join(splits)} | T | {' | '.join(lasts)} |"


def number(times: float) -> str:
    return f"{times:,.0f}" if times >= 100 else f"{times:.1f}" if times >= 1.1 else f"{times:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("bench/figures/panels.md"))
    parser.parse_args().output.write_text(written(), encoding="utf-8")


if __name__ == "__main__":
    main()
