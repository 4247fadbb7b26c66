"""Records of advisories in the OSV format, and a lock that they are compared with."""

from datetime import UTC, datetime
from typing import Any

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LOCKED = """# product
django==5.2.4 \\
    --hash=sha256:00
typing-extensions==4.16.0 ; python_full_version < '3.12' \\
    --hash=sha256:01
# tests
pytest==9.0.0rc1 \\
    --hash=sha256:02
"""


def record(**more: Any) -> dict[str, Any]:
    """Of everything in Django before 5.2.5, unless it says otherwise."""
    return {
        "schema_version": "1.7.0",
        "id": "PYSEC-2026-1",
        "modified": "2026-11-19T08:00:00.123456789Z",
        "affected": [affected()],
        **more,
    }


def affected(
    name: str = "Django", *events: dict[str, str], ecosystem: str = "PyPI", **more: Any
) -> dict[str, Any]:
    known = events or ({"introduced": "0"}, {"fixed": "5.2.5"})
    package = {"ecosystem": ecosystem, "name": name}
    return {"package": package, "ranges": [{"type": "ECOSYSTEM", "events": list(known)}], **more}
