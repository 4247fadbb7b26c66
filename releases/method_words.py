"""The methods that anonymise, in words."""

from django.utils.translation import gettext_lazy

METHOD_NAMES = {
    "tree": gettext_lazy("Tree"),
    "bottom-up": gettext_lazy("Bottom-up"),
    "samarati": gettext_lazy("Samarati"),
    "datafly": gettext_lazy("Datafly"),
    "kacluk": gettext_lazy("KACLUK"),
    "ilp": gettext_lazy("ILP"),
    "exhaustive": gettext_lazy("Exhaustive search"),
}
METHODS = {
    "tree": gettext_lazy("Tree: cuts the table into ever smaller classes; changes and leaves out nothing"),
    "bottom-up": gettext_lazy("Bottom-up: joins classes until each keeps the criteria; slow on large tables"),
    "samarati": gettext_lazy("Samarati: one level of detail for each whole column; may leave records out"),
    "datafly": gettext_lazy("Datafly: coarsens the column with most values again and again; a baseline"),
    "kacluk": gettext_lazy("KACLUK: clusters by a weighted distance, then joins small classes"),
    "ilp": gettext_lazy("ILP: joins classes by the information-loss penalty"),
    "exhaustive": gettext_lazy("Exhaustive: tries every level of detail; only for small tables"),
}
"""What a method does, in words; a method that is not here is shown by its name."""


def rank(method: str) -> int:
    """The place of a method in a list: ours first, those without words last."""
    return [*METHODS, method].index(method)
