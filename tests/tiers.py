"""The tier `night`: what runs each night alone, and for each the smaller case of its subject in every run.

A key is a folder, a file, a class of a file that others inherit from, or the first characters of a test's id, from
tests/. A test with the mark `night` needs no row: other tests of its file are its smaller case.
"""

WHOLE_WAY = "browser/test_journeys.py"
STACKS = "jobs/test_stacks.py"
KEPT = "runs/test_histogram_cache.py"
PACKAGE = "r/test_equal.py"
PLANS = "mining/studies/test_plans.py"
WAVES = "mining/studies/test_waves.py"
WINDOW = "mining/kinds/number/test_window.py"
SCRIPTS = "intake/recordfiles/test_analysis.py"

NIGHT = {
    # Long attacks on everything at once.
    "soak": STACKS,
    "hostile/test_file_commands.py": "privacy/designs/test_hostile.py",
    "hostile/test_mutations.py": "privacy/designs/test_hostile.py",
    "mining/disclosure/test_attack.py": "mining/disclosure/test_small_cells.py",
    "releases/test_reading.py::test_a_file_of_fifty_megabytes": "releases/test_uploading.py",
    "releases/test_reading.py::test_fifty_megabytes_of_distinct": "releases/specification/test_profiling.py",
    "privacy/mechanisms/test_mutants.py": "privacy/mechanisms/test_exact_law.py",
    "privacy/mechanisms/test_study_mutants.py": "privacy/mechanisms/test_studies.py",
    # Long simulations, and what documents say of large tables.
    "mining/test_coverage.py": "mining/inference/test_intervals.py",
    "papers/test_publishing_experiments.py": "papers/test_publishing.py",
    # All that the report of the demo says; runs of many records, and all that a file can be damaged by.
    "deposits/test_demo.py": "deposits/test_pages.py",
    "runs/test_code_findings.py::test_numbers_that_cannot_be_read_are_counted_anew[CANDORN": (
        "runs/test_code_findings.py"
    ),
    "runs/test_code_findings.py::test_numbers_that_cannot_be_read_are_counted_anew[]": "runs/test_code_findings.py",
    **{
        f"{KEPT}::test_a_histogram_that_cannot_be_read_is_counted_anew_and_kept_instead[{name}]": KEPT
        for name in ("cut short", "other")
    },
    **{
        f"releases/test_reading.py::test_a_damaged_file_is_refused_without_the_words_of_a_library[{name}]": (
            "releases/test_reading.py"
        )
        for name in ("excel", "spss")
    },
    **{
        f"importing/test_questionnaires.py::test_its_rehearsal_is_mined_without_a_failure[{name}]": (
            "importing/test_questionnaires.py"
        )
        for name in ("health-stigma", "substance-use", "tax-and-benefits", "workplace-safety")
    },
    **{
        f"{path}::{name}[large]": path
        for path, name in (
            ("runs/test_code_findings.py", "test_a_run_says_of_its_numbers_what_their_counts_say"),
            ("runs/test_place_findings.py", "test_a_run_says_of_its_places_what_their_counts_say"),
        )
    },
    "runs/test_study_findings.py::test_a_run_says_what_the_commands_say_of_the_same_records[columns]": (
        "runs/test_study_findings.py"
    ),
    "proof/test_deployed.py::test_of_a_rehearsal_everything_holds[postgresql]": "proof/test_deployed.py",
    "proof/test_deployed.py::test_of_a_rehearsal_whose_disguise_lasts": "proof/test_mutants.py",
    "config/backup/test_restoring.py::test_numbers_that_were_given_are_not_given_again[postgresql]": (
        "config/backup/test_restoring.py"
    ),
    # What documents show.
    "bench/test_pictures.py": WHOLE_WAY,
    # R and SPSS.
    f"{PACKAGE}::test_r_says_what_python_says_of_random_designs[200]": PACKAGE,
    "r/test_package.py": PACKAGE,
    # Servers: each way to kill and to fail, and both databases, for everything.
    "bench/test_push.py": "intake/test_rate.py",
    "config/backup/test_backing_up.py::test_a_backup_is_of_the_moment_it_began_whoever_answers_between_two_tables[p": (
        "config/backup/test_backing_up.py"
    ),
    **{
        f"config/test_migration_files.py::test_a_database_of_other_migrations_is_refused_at_every_door[{change}": (
            "config/test_migration_files.py"
        )
        for change in ("DELETE", "DROP")
    },
    "config/backup/test_killed.py": "config/backup/test_restoring.py",
    "config/backup/test_nothing_revived.py::test_on_a_new_machine_the_list_says_what_must_not_come_back[p": (
        "config/backup/test_nothing_revived.py"
    ),
    "config/backup/test_older.py": "config/backup/test_restoring.py",
    "config/backup/test_runs_after.py": "config/backup/test_restoring.py",
    "config/test_debian.py": "config/test_operations_guide.py",
    "bench/test_upgrade.py": "config/test_migration_files.py",
    "config/test_hanging.py": "config/test_health.py",
    "runs/test_at_once.py": "reports/test_on_postgresql.py",
    "accounts/test_on_servers.py::test_guesses_from_many": "accounts/test_guessing.py",
}


BEGINNINGS = tuple(f"{key}/" if "." not in key else key for key in NIGHT)


def is_whole(key: str) -> bool:
    """Whether it names a folder or a file."""
    return "::" not in key


def in_night(nodeid: str) -> bool:
    """Whether a test, by its id from the repository's root, is of the night."""
    place = nodeid.removeprefix("tests/")
    return place.startswith(BEGINNINGS)
