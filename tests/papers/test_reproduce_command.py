"""`reproduce` itself: what it accepts, and what it says where it cannot."""

import re
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from papers.grouped_model.rows import Mean
from papers.management.commands.reproduce import REPETITIONS, SEED, Command
from tests import servers


def test_a_mean_of_what_cannot_be_estimated_is_none() -> None:
    assert Mean.of(np.array([1.0, np.nan])) is None
    assert Mean.of(np.array([1.0, 3.0])) == Mean(2.0, 1.0)


def test_an_unknown_paper_is_a_mistake_in_use(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("reproduce", "another", "-o", str(tmp_path))


@pytest.mark.parametrize("odd", [("--repetitions", "1"), ("--seed", "-1"), ("--repetitions", "many")])
def test_a_nonsensical_number_is_a_mistake_in_use(tmp_path: Path, odd: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match=r"at least|invalid"):
        call_command("reproduce", "grouped-model", "-o", str(tmp_path), *odd)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["privacy-breach", "location", "publishing", "studies"])
@pytest.mark.parametrize("odd", [("--repetitions", "3"), ("--seed", "0")])
def test_what_is_computed_takes_no_seed(tmp_path: Path, name: str, odd: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match="has a fixed seed"):
        call_command("reproduce", name, "-o", str(tmp_path), *odd)
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_written_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CommandError, match=r"file: cannot be written \(File exists\)"):
        call_command("reproduce", "grouped-model", "-o", str(tmp_path / "file"))


def test_the_readme_gives_the_command_with_options_that_it_has() -> None:
    readme = (servers.ROOT / "README.md").read_text()
    (line,) = re.findall(r"manage\.py reproduce (grouped-model .*)", readme)
    parser = Command().create_parser("manage.py", "reproduce")
    asked = parser.parse_args(line.replace("[", "").replace("]", "").split())
    assert (asked.seed, asked.repetitions) == (SEED, REPETITIONS)
