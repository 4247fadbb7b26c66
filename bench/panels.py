"""How many respondents do rounds with the same people need? Computed, and written to bench/figures/panels.md.

python -m bench.panels
"""

from collections.abc import Iterator
from fractions import Fraction

from bench.markdown import FIGURES, table, with_table
from privacy.guarantee.panel_sample_sizes import (
    find_lasting_stages,
    keep_for_gamma,
    respondent_factor_if_lasting,
    respondent_factor_if_split,
)

ROUNDS = (2, 4, 12, 52)
SETTINGS = ((1, 6), (1, 19), (1, 50), (3, 6), (3, 19), (5, 19))
"""Questions asked together, and G."""


def written() -> str:
    """The page with the numbers of today."""
    several = [f"split, T = {rounds}" for rounds in ROUNDS]
    rounds = [*several, "at random", "lasting, H = G", "lasting, H = G²"]
    heads = ["questions", "G", "keep of one asking", *rounds]
    return with_table(FIGURES / "panels.md", table(heads, rows()))


def rows() -> Iterator[list[object]]:
    for questions, gamma in SETTINGS:
        rarest, limit = Fraction(1, 2**questions), Fraction(gamma)
        once = f"{float(keep_for_gamma(limit, rarest)):.3f}"
        splits = [number(respondent_factor_if_split(gamma, float(rarest), rounds)) for rounds in ROUNDS]
        lasts = [
            number(respondent_factor_if_lasting(find_lasting_stages(limit, departure, rarest)))
            for departure in (limit, limit**2)
        ]
        yield [questions, gamma, once, *splits, "T", *lasts]


def number(times: float) -> str:
    return f"{times:,.0f}" if times >= 100 else f"{times:.1f}" if times >= 1.1 else f"{times:.2f}"


if __name__ == "__main__":
    (FIGURES / "panels.md").write_text(written(), encoding="utf-8")
