"""Microdata (tables with a row for each person): anonymises them, attacks them, or
simulates their disguise."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privacy.grammar.input_error import InputError, mark_for_translation as _, unreadable_file
from privacy.records.record_file import open_table_file

if TYPE_CHECKING:
    from mining.own_table.experiment import ExperimentResult
    from mining.own_table.settings import Settings
    from mining.own_table.table import OwnTable
    from privacy.anonymity.risk.table_seen_by_attacker import ShownTable
    from privacy.anonymity.tables.specification import Specification


def anonymize(table: Path | str, specification: Path | str, out: Path | str) -> dict[str, Any]:
    """Anonymises a CSV file by a specification into the file `out`, which is checked; returns a report.

    The report is explained in docs/formats.md, anonymize.
    """
    from mining.table_file_anonymisation import anonymize_files  # late for cost

    return anonymize_files(Path(table), Path(specification), Path(out))


def attack(
    release: Path | str,
    specification: Path | str,
    *,
    register: Path | str | None = None,
    beside: Sequence[Path | str] = (),
    ruled_out: int = 1,
) -> dict[str, Any]:
    """Attacks an anonymised table with the knowledge of an attacker; returns the results (docs/formats.md, attack).

    `holds`: whether the table keeps the criteria of its specification. `register`: people with some of the
    quasi-identifiers. `beside`: further files of the same people. `ruled_out`: how many sensitive values of a person
    the attacker can rule out.
    """
    from mining.table_file_anonymisation import read_specification_file  # late for cost
    from privacy.anonymity.risk import attack_sentences  # late for cost
    from privacy.anonymity.risk.attacks import (  # late for cost
        keeps_criteria_without_identifiers,
        run_attacks,
    )

    if ruled_out < 0:
        raise InputError("ruled_out", _("must not be negative"))
    promised = read_specification_file(Path(specification))
    answer = run_attacks(
        _read_shown_table(release, promised, complete=True),
        promised,
        ruled_out=ruled_out,
        register=_read_shown_table(register, promised) if register else None,
        others={str(path): _read_shown_table(path, promised) for path in beside},
        named=True,
    )
    return {
        "says": attack_sentences.attack_sentences(answer),
        "holds": keeps_criteria_without_identifiers(answer),
        **answer,
    }


def _read_shown_table(
    path: Path | str, specification: "Specification", *, complete: bool = False
) -> "ShownTable":
    from privacy.anonymity.risk.table_seen_by_attacker import read_shown_table  # late for cost

    with open_table_file(Path(path)) as file:
        return read_shown_table(file, str(path), specification, complete=complete)


@dataclass(frozen=True)
class OwnTableResult:
    """Result of disguising one's own `table`: rules found, missed and false; `result` has the numbers."""

    table: "OwnTable"
    settings: "Settings"
    seed: int
    result: "ExperimentResult"

    def files(self) -> dict[str, str]:
        """Returns the contents of result.json, rules.csv and curves.csv (docs/formats.md, own-table)."""
        from mining.own_table import export  # late for cost

        return {
            "result.json": export.result_json(self.settings, self.seed, self.result),
            "rules.csv": export.rules_csv(self.result.rules),
            "curves.csv": export.curves_csv(self.result),
        }


def own_table(
    file: Path | str, columns: Sequence[str] = (), *, seed: int = 1, **settings: Any
) -> OwnTableResult:
    """Disguises a table of true answers many times by the grouped model, mines it and compares with the true table.

    `file`: CSV, .xlsx, .parquet or .sav; `columns`: by default all with few values. `settings`: `keep`, `open_share`,
    `theta`, `group_size`, `min_support`, `min_confidence`, `estimator`. The same seed gives the same numbers.
    """
    from mining.own_table import experiment  # late for cost
    from mining.own_table.settings import Settings  # late for cost
    from mining.own_table.table import read_own_table  # late for cost
    from privacy.records import binary_tables_to_csv  # late for cost

    chosen, name = Settings(**settings), Path(file).name
    try:
        data = Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable_file(Path(file), error) from None
    text = binary_tables_to_csv.convert_to_csv(data, name, binary_tables_to_csv.load_libraries_and_copy(data))
    table = read_own_table(data if text is None else text, name, wanted=columns)
    return OwnTableResult(table, chosen, seed, experiment.run_experiment(table, chosen, seed))
