"""The Python package candor: reads and analyses survey records, and anonymises or
attacks tables (docs/library.md).

Each public name is importable from here; its module is loaded at the first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from candor.estimates import Estimates as Estimates
    from candor.exports import Export as Export, read_export as read_export
    from candor.formulas import differences as differences, regress as regress
    from candor.frequent_patterns import apriori as apriori, association_rules as association_rules
    from candor.item_counts import item_count as item_count
    from candor.lattices import (
        GeneralisationLattice as GeneralisationLattice,
        generalisation_lattice as generalisation_lattice,
    )
    from candor.laws import (
        ResponseLaw as ResponseLaw,
        crosswise as crosswise,
        forced_response as forced_response,
        kuk as kuk,
        mangat as mangat,
        negative_survey as negative_survey,
        triangular as triangular,
        unrelated_question as unrelated_question,
        warner as warner,
    )
    from candor.microdata import (
        OwnTableResult as OwnTableResult,
        anonymize as anonymize,
        attack as attack,
        own_table as own_table,
    )
    from candor.places import square_mechanism as square_mechanism
    from candor.privacy_breaches import Breaches as Breaches, breaches as breaches
    from candor.randomised_response import compare_shares as compare_shares, count_shares as count_shares
    from candor.sample_sizes import power as power, sample_size as sample_size
    from candor.studies import (
        compare_arms as compare_arms,
        compare_classes as compare_classes,
        compare_waves as compare_waves,
        control_items as control_items,
        fit_model as fit_model,
        plan as plan,
    )
    from candor.surveys import (
        Records as Records,
        audit as audit,
        estimate as estimate,
        itemsets as itemsets,
        read_design as read_design,
        read_records as read_records,
        records as records,
        rules as rules,
        shares as shares,
        supports as supports,
    )
    from privacy.designs import Design as Design, InputError as InputError
    from privacy.guarantee.design_guarantees import Audit as Audit
    from privacy.records import (
        DISGUISED as DISGUISED,
        OPEN as OPEN,
        RecordRow as RecordRow,
        parse_record as parse_record,
        read_record as read_record,
        read_truth as read_truth,
        write_records as write_records,
    )
    from privacy.simulation.disguise import disguise as disguise
    from privacy.simulation.population import (
        Independent as Independent,
        JointDistribution as JointDistribution,
        LatentClasses as LatentClasses,
        Population as Population,
    )

_NAMES_BY_MODULE = {
    "candor.surveys": (
        *("read_design", "read_records", "records", "Records", "audit", "shares", "supports", "estimate"),
        *("itemsets", "rules"),
    ),
    "candor.exports": ("read_export", "Export"),
    "candor.studies": (
        *("compare_arms", "compare_classes", "compare_waves", "control_items", "fit_model", "plan"),
    ),
    "candor.frequent_patterns": ("apriori", "association_rules"),
    "candor.formulas": ("differences", "regress"),
    "candor.item_counts": ("item_count",),
    "candor.sample_sizes": ("power", "sample_size"),
    "candor.estimates": ("Estimates",),
    "candor.laws": (
        *("warner", "unrelated_question", "forced_response", "kuk", "mangat", "crosswise", "triangular"),
        *("negative_survey", "ResponseLaw"),
    ),
    "candor.randomised_response": ("count_shares", "compare_shares"),
    "candor.microdata": ("anonymize", "attack", "own_table", "OwnTableResult"),
    "candor.privacy_breaches": ("breaches", "Breaches"),
    "candor.places": ("square_mechanism",),
    "candor.lattices": ("generalisation_lattice", "GeneralisationLattice"),
    "privacy.designs": ("Design", "InputError"),
    "privacy.guarantee.design_guarantees": ("Audit",),
    "privacy.simulation.disguise": ("disguise",),
    "privacy.simulation.population": ("Population", "Independent", "LatentClasses", "JointDistribution"),
    "privacy.records": (
        *("RecordRow", "OPEN", "DISGUISED", "write_records", "read_truth", "parse_record", "read_record"),
    ),
}
"""Public names by the module that defines them, in the order of docs/library.md."""
_NAMES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

if not TYPE_CHECKING:  # or every name would be one of Any

    def __getattr__(name: str) -> Any:
        """Imports a public name from its module at the first use (PEP 562)."""
        if name == "__version__":
            return _read_version()
        if name not in _NAMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from privacy.grammar.input_error import name_extra_of_missing_package  # late for cost

        with name_extra_of_missing_package():
            globals()[name] = value = getattr(import_module(_NAMES[name]), name)
        return value


def _read_version() -> str:
    """Returns the version that a checkout's pyproject.toml has, or that was installed."""
    from importlib.metadata import version  # late for cost
    from pathlib import Path  # late for cost
    from tomllib import loads  # late for cost

    project = Path(__file__).resolve().parent.parent / "pyproject.toml"
    return str(loads(project.read_text())["project"]["version"]) if project.is_file() else version("candor")


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
