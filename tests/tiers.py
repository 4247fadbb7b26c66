"""The tier `release`: what runs each night and before a tag, and for each the smaller case of its subject in every run.

A key is a folder, a file, a class of a file that others inherit from, or the first characters of a test's id, from
tests/. A test with the mark `release` needs no row: other tests of its file are its smaller case.
"""

ANSWERING = "browser/test_answering_pages.py"
SENDING = "browser/test_answering_sending.py"
BUILDING = "browser/test_builder_saving.py"
REPORTING = "browser/test_judging.py"
WHOLE_WAY = "browser/test_number_journey.py"
ON_A_PHONE = "browser/test_attempt_respondent.py"
STACKS = "jobs/test_stacks.py"
ARMS = "mining/studies/test_arms.py"
DOORS = "mining/disclosure/test_doors.py"
CHI_SQUARE = "privacy/mechanisms/test_chi_square.py"
KEPT = "runs/test_histogram_cache.py"
LAYOUT = "privacy/test_by_guarantee_layout.py"
LAW = "privacy/mechanisms/test_exact_law.py"
PACKAGE = "r/test_equal.py"
PLANS = "mining/studies/test_plans.py"
SCRIPTS = "intake/recordfiles/test_analysis.py"
WAVES = "mining/studies/test_waves.py"
WINDOW = "mining/kinds/number/test_window.py"

RELEASE = {
    # Long attacks on everything at once.
    "soak": STACKS,
    "hostile/test_file_commands.py": "privacy/designs/test_hostile.py",
    "hostile/test_mutations.py": "privacy/designs/test_hostile.py",
    "intake/test_fuzz.py": "intake/test_endpoint.py",
    "mining/disclosure/test_attack.py": "mining/disclosure/test_small_cells.py",
    **{
        f"{DOORS}::test_no_cell_of_open_people_follows_for_a_reader_or_a_holder[{seed}": DOORS
        for seed in (1, 2, 4, 5, 6, 7, 8, 9)
    },
    "releases/test_reading.py::test_a_file_of_fifty_megabytes": "releases/test_uploading.py",
    "releases/test_reading.py::test_fifty_megabytes_of_distinct": "releases/specification/test_profiling.py",
    "privacy/mechanisms/test_mutants.py": "privacy/mechanisms/test_exact_law.py",
    "privacy/mechanisms/test_study_mutants.py": "privacy/mechanisms/test_studies.py",
    # Long simulations, and what documents say of large tables.
    "mining/test_coverage.py": "mining/inference/test_intervals.py",
    f"{ARMS}::test_the_difference_covers_and_its_test_has_its_size[9]": ARMS,
    f"{ARMS}::test_the_planned_difference_is_found_four_times_in_five[0.9": ARMS,
    f"{ARMS}::test_the_planned_difference_is_found_four_times_in_five[0.36": ARMS,
    f"{PLANS}::test_a_plan_of_twenty_true_hypotheses_of_no_effect_finds_one_in_at_most_six_percent[8000": PLANS,
    f"{WAVES}::test_the_difference_covers_whoever_answers_both[0.0]": WAVES,
    f"{WAVES}::test_the_difference_covers_whoever_answers_both[1.0]": WAVES,
    **{
        f"{LAYOUT}::test_no_division_of_unlike_questions_has_less_error[thetas{number}-": LAYOUT
        for number in (2, 3, 5)
    },
    "papers/test_publishing_experiments.py": "papers/test_publishing.py",
    **{
        f"{WINDOW}::test_it_is_nearer_to_the_truth_than_what_was_received[WindowLaw(values={values}": WINDOW
        for values in (101, 1001)
    },
    "privacy/anonymity/searches/test_tree.py::test_adult_loses_little[50": "privacy/anonymity/searches/test_tree.py",
    # The largest of the designs of which every coin is thrown, and many records of each.
    **{
        f"{LAW}::test_all_coins_in_{language}_give_the_stated_law[{name}]": LAW
        for language in ("python", "javascript")
        for name in ("stepped", "two of three")
    },
    "privacy/mechanisms/test_studies.py::test_all_coins_of_everything": "privacy/mechanisms/test_studies.py",
    **{
        f"{CHI_SQUARE}::test_records_from_the_secure_source_in_python_follow_the_law[{name}]": CHI_SQUARE
        for name in ("numbers", "places")
    },
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
        f"importing/starting/test_questionnaires.py::test_its_rehearsal_is_mined_without_a_failure[{name}]": (
            "importing/starting/test_questionnaires.py"
        )
        for name in ("health-stigma", "substance-use", "tax-and-benefits", "workplace-safety")
    },
    "intake/recordfiles/test_rows.py::test_beside_their_packed_columns_ten_times_the_records_take_no_more_memory[p": (
        "intake/recordfiles/test_rows.py"
    ),
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
    "reports/public/test_paper.py::test_the_demonstration_has_two_pages[A4]": "reports/public/test_paper.py",
    "config/backup/test_restoring.py::test_numbers_that_were_given_are_not_given_again[postgresql]": (
        "config/backup/test_restoring.py"
    ),
    # What documents show.
    "bench/test_pictures.py": WHOLE_WAY,
    # R and SPSS.
    f"{PACKAGE}::test_r_says_what_python_says_of_random_designs[200]": PACKAGE,
    "r/test_package.py": PACKAGE,
    "intake/recordfiles/test_analysis_formats.py": SCRIPTS,
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
    "intake/test_killed.py::test_two_thousand_posts_while_a_worker_and_a_web_process_are_killed_twice[sqlite]": (
        "intake/test_killed.py"
    ),
    "runs/test_at_once.py": "reports/test_on_postgresql.py",
    "accounts/test_on_servers.py::test_guesses_from_many": "accounts/test_guessing.py",
    # The browser: each page in each state, language and width.
    "browser/test_answering_completion.py": ANSWERING,
    "browser/test_answering_disk.py": "browser/test_answering_traces.py",
    "browser/test_answering_policy.py": ANSWERING,
    "browser/test_answering_reach.py": ANSWERING,
    "browser/test_answering_receipt.py": SENDING,
    "browser/test_answering_several.py": ANSWERING,
    "browser/test_answering_states.py": ANSWERING,
    "browser/test_answering_studies.py": "browser/test_answering_mixture.py",
    "browser/test_answering_toy.py": ANSWERING,
    "browser/test_answering_waits.py": SENDING,
    "browser/test_answering_ways.py": ANSWERING,
    "browser/test_answering_weight.py": ANSWERING,
    **{
        f"{ON_A_PHONE}::test_a_survey_is_answered_on_a_phone_and_every_screen_fits[{language}]": ON_A_PHONE
        for language in ("ar", "de", "es", "fr", "zh-hans")
    },
    "browser/test_attempt_researcher.py": WHOLE_WAY,
    "browser/test_attempt_reviewer.py": REPORTING,
    "browser/test_attempt_study.py": WHOLE_WAY,
    "browser/test_background_work.py": WHOLE_WAY,
    "browser/test_builder.py": BUILDING,
    "browser/test_builder_batteries.py": BUILDING,
    "browser/test_builder_numbers.py": BUILDING,
    "browser/test_builder_order.py": BUILDING,
    "browser/test_builder_pages.py": BUILDING,
    "browser/test_builder_studies.py": BUILDING,
    "browser/test_builder_typing.py": BUILDING,
    "browser/test_builder_whole.py": BUILDING,
    "browser/test_builder_without_script.py": BUILDING,
    "browser/test_clicks.py": WHOLE_WAY,
    "browser/test_cookies.py": "browser/test_answering_traces.py",
    "browser/test_invitations.py": SENDING,
    "browser/test_judging_clicks.py": REPORTING,
    "browser/test_languages.py": ANSWERING,
    "browser/test_look.py": "ui/test_pages.py",
    "browser/test_many_places.py": "browser/test_place_question.py",
    "browser/test_number_place_survey.py": WHOLE_WAY,
    "browser/test_number_reports.py": REPORTING,
    "browser/test_place_builder.py": BUILDING,
    "browser/test_place_receipt.py": "browser/test_place_question.py",
    "browser/test_place_reports.py": REPORTING,
    "browser/test_place_survey.py": "browser/test_place_question.py",
    "browser/test_pressed_twice.py": "browser/test_surveys.py",
    "browser/test_profiles.py": "browser/test_answering_traces.py",
    "browser/test_protection_choices.py": BUILDING,
    "browser/test_read_through.py": BUILDING,
    "browser/test_release_attacks.py": "releases/making/test_attack_command.py",
    "browser/test_reports.py": REPORTING,
    "browser/test_right_to_left.py": ANSWERING,
    "browser/test_runs.py": WHOLE_WAY,
    "browser/test_saml.py": "browser/test_providers.py",
    "browser/test_seventh_kind.py": "seventh/test_report.py",
    "browser/test_study_reports.py": REPORTING,
    "browser/test_study_truth.py": REPORTING,
}


BEGINNINGS = tuple(f"{key}/" if "." not in key else key for key in RELEASE)


def is_whole(key: str) -> bool:
    """Whether it names a folder or a file."""
    return "::" not in key


def in_release(nodeid: str) -> bool:
    """Whether a test, by its id from the repository's root, is of this tier."""
    place = nodeid.removeprefix("tests/")
    return place.startswith(BEGINNINGS)
