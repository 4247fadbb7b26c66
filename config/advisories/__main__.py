"""`./run audit [PLACE]`: a line for each finding; exit status 0 nothing found, 1 something, 2 could not look."""

import argparse
import resource
import sys
from datetime import UTC, datetime
from pathlib import Path

from config.advisories.audit import audit
from config.advisories.reading import AuditFailed
from config.lock import LOCK, ROOT

PLACE = ROOT / "var" / "advisories"
MEMORY = 2_000_000_000
FOUND, COULD_NOT_LOOK = 1, 2


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run audit", description=__doc__)
    parser.add_argument(
        "place", nargs="?", type=Path, default=PLACE, help="a zip, a record, or a folder of them"
    )
    asked = parser.parse_args()
    # A zip may list more members than fit into memory.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        looked = audit(lock_text(LOCK), asked.place, datetime.now(UTC))
    except AuditFailed as reason:
        return failed(reason)
    except MemoryError:
        return failed(f"{asked.place} needs more memory than a database of advisories")
    for finding in looked.findings:
        print(finding)
    print(
        f"{looked.pins} locked versions, {looked.records} advisories for PyPI, the newest of "
        f"{looked.newest:%Y-%m-%d}: {len(looked.findings)} found.",
        file=sys.stderr,
    )
    return FOUND if looked.findings else 0


def lock_text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeError) as error:
        raise AuditFailed(f"cannot read {path}: {error}") from None


def failed(reason: object) -> int:
    print(f"./run audit: could not look: {reason}", file=sys.stderr)
    return COULD_NOT_LOOK


if __name__ == "__main__":
    sys.exit(main())
