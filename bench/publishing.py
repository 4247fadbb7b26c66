"""Times of document 003's methods on Adult, by processor: python -m bench.publishing

Each method at each k of the document, one after another in one run, and its time as a share of bottom-up's.
"""

from papers.publishing.adult_data import KS, adult_table
from papers.publishing.adult_experiments import BOTTOM_UP, run_experiments


def main() -> None:
    _rows, seconds = run_experiments(adult_table(), KS, lambda _line: None)
    for (method, k), spent in seconds.items():
        print(
            f"Adult, k = {k}, {method}: {spent:.2f} s, {spent / seconds[BOTTOM_UP, k]:.3f} of bottom-up",
            flush=True,
        )


if __name__ == "__main__":
    main()
