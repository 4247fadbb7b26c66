"""Document 002, on sensitive places: the square mechanism, its utility-optimised form, rivals, and their errors."""

from papers.location.errors import results
from papers.location.page import page
from papers.reproducing import Reproduced, Run


def reproduced(_run: Run) -> Reproduced:
    location = results()
    return Reproduced(lambda: page(location), location.tables())
