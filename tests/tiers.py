"""The tier `release`: what runs each night and before a tag, and for each the smaller case of its subject in every run.

A key is a folder, a file, or a test or class of a file, from tests/.
"""

ANSWERING = "browser/test_answering_pages.py"
SENDING = "browser/test_answering_sending.py"
BUILDING = "browser/test_builder_saving.py"
REPORTING = "browser/test_judging.py"
WHOLE_WAY = "browser/test_number_journey.py"
ON_A_PHONE = "browser/test_attempt_respondent.py"
STACKS = "jobs/test_stacks.py"
ARMS = "mining/studies/test_arms.py"
DEMO = "config/start/test_demo.py"
DOORS = "mining/disclosure/test_doors.py"
PACKAGE = "candor/test_equal.py"
PLANS = "mining/studies/test_plans.py"
SCRIPTS = "intake/recordfiles/test_analysis.py"
WAVES = "mining/studies/test_waves.py"
WATCHING = "config/test_watching.py::test_two_numbers_within_a_tenth_look_the_same_everywhere"

RELEASE = {
    # Long attacks on everything at once.
    "soak": STACKS,
    "hostile/test_file_commands.py": "privacy/designs/test_hostile.py",
    "hostile/test_mutations.py": "privacy/designs/test_hostile.py",
    "intake/test_fuzz.py": "intake/test_endpoint.py",
    "config/test_mutated_forms.py::test_no_page_repeats_a_forged_name_of_the_site": "config/test_mutated_forms.py",
    "importing/test_isolated.py::test_a_hostile_file_takes_no_more_than_its_share": "importing/test_isolated.py",
    "importing/test_hostile_geojson.py::test_a_hostile_file_is_refused_within": "importing/test_hostile_geojson.py",
    "importing/test_hostile_json.py::test_names_that_stand_many_times_are_told_apart_in_seconds[one": (
        "importing/test_hostile_json.py"
    ),
    "mining/disclosure/test_attack.py": "mining/disclosure/test_small_cells.py",
    "mining/disclosure/test_doors.py::test_nothing_follows_of_so_many": "mining/disclosure/test_doors.py",
    f"{DOORS}::test_each_mutant_is_caught": DOORS,
    **{
        f"{DOORS}::test_no_cell_of_open_people_follows_for_a_reader_or_a_holder[{seed}": DOORS
        for seed in (1, 2, 4, 5, 6, 7, 8, 9)
    },
    "privacy/kinds/number/test_chi_square.py::test_a_million_records": "privacy/kinds/number/test_chi_square.py",
    "releases/test_reading.py::test_a_file_of_fifty_megabytes": "releases/test_uploading.py",
    "releases/test_reading.py::test_fifty_megabytes_of_distinct": "releases/specification/test_profiling.py",
    "releases/test_reading.py::test_a_workbook_that_unpacks": "releases/test_reading.py",
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
    "mining/error/test_identical.py::test_simulated_false_alarms": "mining/error/test_identical.py",
    "mining/error/test_identical.py::test_the_excess_is_never_more": "mining/error/test_identical.py",
    "mining/studies/test_understanding.py::test_the_test_has_its_size": "mining/studies/test_understanding.py",
    "papers/test_grouped_model.py::test_w_is_told": "papers/test_grouped_model.py",
    "papers/test_grouped_model.py::test_the_documents_curve": "papers/test_grouped_model.py",
    "papers/test_publishing_experiments.py": "papers/test_publishing.py",
    "privacy/anonymity/searches/test_ilp.py::test_on_adult_it_loses_as_much": "privacy/anonymity/searches/test_ilp.py",
    "privacy/anonymity/test_methods.py::test_bottom_up_loses_on_adult": "privacy/anonymity/test_methods.py",
    "papers/plane/test_square_law.py::test_a_million_draws": "papers/plane/test_square_law.py",
    # The demo stopped at any step, and all that its report says; runs in shards and of many records.
    f"{DEMO}::test_the_tour_ends_with_the_address_of_a_report": DEMO,
    f"{DEMO}::test_the_report_of_the_demo_has_every_kind": DEMO,
    f"{DEMO}::test_the_runs_of_a_newcomer": DEMO,
    f"{DEMO}::test_a_demo_that_was_stopped": DEMO,
    f"{DEMO}::test_what_somebody_else_lets_answer": DEMO,
    "config/start/test_demo_report.py::test_intervals_hold_the_truth_of_the_people": (
        "config/start/test_demo_report.py"
    ),
    "deposits/test_demo.py::test_the_deposit_of_the_demo": "deposits/test_demo.py",
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
            ("runs/test_code_findings.py", "test_shards_say_the_same_to_the_last_digit"),
            ("runs/test_code_findings.py", "test_a_run_says_of_its_numbers_what_their_counts_say"),
            ("runs/test_place_findings.py", "test_shards_say_the_same_of_places"),
            ("runs/test_place_findings.py", "test_a_run_says_of_its_places_what_their_counts_say"),
        )
    },
    "runs/test_code_findings.py::test_shards_that_must_count_again": "runs/test_code_findings.py",
    "runs/test_sharding.py::test_what_a_poor_sample": "runs/test_sharding.py",
    "runs/test_sharding.py::test_batches_are_not_merged_across": "runs/test_sharding.py",
    "runs/test_study_findings.py::test_a_run_says_what_the_commands_say_of_the_same_records[columns]": (
        "runs/test_study_findings.py"
    ),
    "surveys/kinds/place/test_pages.py::test_thousands_of_cells": "surveys/kinds/place/test_pages.py",
    f"{SCRIPTS}::test_a_script_weights_the_shares_as_the_product_does[arms-analysis.R]": SCRIPTS,
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
    "candor/test_package.py": PACKAGE,
    "intake/recordfiles/test_analysis_formats.py": SCRIPTS,
    f"{SCRIPTS}::test_a_script_says_what_the_product_says_of_every_kind": SCRIPTS,
    f"{SCRIPTS}::test_a_script_estimates_nothing_from_too_few": SCRIPTS,
    f"{SCRIPTS}::test_a_script_for_a_number_alone_runs": SCRIPTS,
    f"{SCRIPTS}::test_a_script_fits_the_models_of_the_product": SCRIPTS,
    f"{SCRIPTS}::test_a_script_weights_the_shares_as_the_product_does[arms-everything": SCRIPTS,
    # Servers: each way to kill, and both databases, for everything.
    "config/backup/test_backing_up.py::test_a_backup_while_people_answer": "config/backup/test_backing_up.py",
    "config/backup/test_backing_up.py::test_a_backup_that_is_killed": "config/backup/test_backing_up.py",
    "config/backup/test_killed.py": "config/backup/test_restoring.py",
    "config/backup/test_moving.py::test_an_instance_moves": "config/backup/test_moving.py",
    "config/backup/test_nothing_revived.py::test_over_the_living": "config/backup/test_nothing_revived.py",
    "config/backup/test_nothing_revived.py::test_on_a_new_machine_the_list_says_what_must_not_come_back[sqlite]": (
        "config/backup/test_nothing_revived.py"
    ),
    "config/backup/test_older.py": "config/backup/test_restoring.py",
    "config/backup/test_runs_after.py": "config/backup/test_restoring.py",
    "config/test_capacity.py::test_the_bench_measures": "config/test_capacity.py",
    "config/test_debian.py": "config/test_operations_guide.py",
    "config/test_deploy.py::test_the_image_is_built": "config/test_deploy.py",
    "bench/test_upgrade.py": "config/test_migration_files.py",
    "config/test_hanging.py": "config/test_health.py",
    "config/test_library.py::test_the_wheel": "config/test_library.py",
    "config/start/test_supervisor_killed.py::test_a_start_ends_what": "config/start/test_supervisor_killed.py",
    "config/test_statement_logs.py::test_where_the_role_may_not": "config/test_statement_logs.py",
    "config/start/test_serving.py::test_dev_answers_on_all_addresses": "config/start/test_serving.py",
    "config/start/test_serving.py::test_an_address_of_ipv6": "config/start/test_serving.py",
    "jobs/test_database_away.py::test_a_database_that_hangs": "jobs/test_database_away.py",
    "jobs/test_database_away.py::test_a_result_waits": "jobs/test_database_away.py",
    "jobs/test_stacks.py::TestEmbedded::test_a_main_process": STACKS,
    "jobs/test_stacks.py::TestEmbedded::test_a_broker": STACKS,
    "jobs/test_stacks.py::TestEmbedded::test_jobs_that_end": STACKS,
    "jobs/test_stacks.py::TestEmbedded::test_a_deaf": STACKS,
    "jobs/test_stacks.py::TestEmbedded::test_two_hundred": STACKS,
    "jobs/test_stacks.py::TestProduction::test_a_killed_worker": STACKS,
    "jobs/test_stacks.py::TestProduction::test_a_zombie": STACKS,
    "jobs/test_stacks.py::TestProduction::test_two_hundred": STACKS,
    "jobs/test_stacks.py::TestProduction::test_a_job_that_was_cancelled": STACKS,
    "jobs/test_stacks.py::TestProduction::test_jobs_that_end": STACKS,
    "jobs/test_stacks.py::TestProduction::test_health_says": STACKS,
    "jobs/test_stacks.py::TestProduction::test_a_deaf": STACKS,
    "jobs/test_stacks.py::TestEmbedded::test_a_worker_that_is_told_to_stop": STACKS,
    "jobs/test_stacks.py::TestEmbedded::test_a_job_that_was_cancelled": STACKS,
    "jobs/test_db_timeouts.py::test_a_server_that_hangs": "jobs/test_db_timeouts.py",
    "intake/test_killed.py::test_two_thousand_posts_while_a_worker_and_a_web_process_are_killed_twice[sqlite]": (
        "intake/test_killed.py"
    ),
    "intake/test_rate.py::test_a_flood_over_two_processes": "intake/test_rate.py",
    "config/start/test_private_files.py::test_what_an_earlier_version_left_open": "config/start/test_private_files.py",
    f"{WATCHING}[owner]": "config/test_watching.py",
    f"{WATCHING}[editor]": "config/test_watching.py",
    "config/backup/test_nothing_revived.py::test_without_the_list": "config/backup/test_nothing_revived.py",
    "browser/test_releases.py::test_a_survey_is_released": "browser/test_releases.py",
    "browser/test_releases.py::test_a_real_table": "browser/test_releases.py",
    "runs/test_stacks.py::test_two_workers": "runs/test_stacks.py",
    "runs/test_stacks.py::test_a_run_that_is_cancelled": "runs/test_sharding.py",
    "runs/test_stacks.py::test_both_workers_killed": STACKS,
    "runs/test_at_once.py": "reports/test_on_postgresql.py",
    "people/test_on_servers.py::test_guesses_from_many": "people/test_guessing.py",
    # The browser: each page in each state, language and width.
    "browser/test_answering_completion.py": ANSWERING,
    "browser/test_answering_disk.py": "browser/test_answering_traces.py",
    "bench/test_push.py::test_within": "bench/test_push.py",
    "browser/test_answering_kept.py::test_waiting_and_keeping": "browser/test_answering_kept.py",
    "browser/test_answering_kept.py::test_records_of_two": "browser/test_answering_kept.py",
    "browser/test_answering_kept.py::test_a_browser_that_keeps": "browser/test_answering_kept.py",
    "browser/test_answering_kept.py::test_a_page_that_stays": "browser/test_answering_kept.py",
    "browser/test_answering_kept.py::test_at_the_next_visit": "browser/test_answering_kept.py",
    "browser/test_answering_kept.py::test_another_survey": "browser/test_answering_kept.py",
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
        for language in ("de", "es", "fr", "zh-hans")
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
    "browser/test_look.py": "look/test_pages.py",
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
    "browser/test_reports.py": REPORTING,
    "browser/test_right_to_left.py": ANSWERING,
    "browser/test_runs.py": WHOLE_WAY,
    "browser/test_saml.py": "browser/test_providers.py",
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
