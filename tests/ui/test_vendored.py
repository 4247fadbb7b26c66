import hashlib
import re
from itertools import chain

from tests import servers

TABLE = servers.ROOT / "static/vendor/VENDORED.md"


def digests_by_file() -> dict[str, str]:
    """The digest of each file that is not ours, by its path."""
    return dict(re.findall(r"^\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|$", TABLE.read_text(), re.MULTILINE))


def test_the_files_that_are_not_ours_are_those_that_the_table_names() -> None:
    digests = {
        name: hashlib.sha256((servers.ROOT / name).read_bytes()).hexdigest() for name in digests_by_file()
    }
    assert digests == digests_by_file()
    there = chain((servers.ROOT / "static/vendor").rglob("*"), (servers.ROOT / "tests").rglob("*.min.js"))
    unnamed = {
        str(path.relative_to(servers.ROOT)) for path in there if path.is_file()
    } - digests_by_file().keys()
    assert unnamed == {"static/vendor/VENDORED.md"}
