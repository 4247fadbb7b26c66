"""What the file of a backup holds: bytes, not rows. What a restored database does: test_nothing_revived."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from config.backup.archive import Key, verify_archive
from tests.config.backup.instance import Instance, found, hashes

pytestmark = pytest.mark.server

BEFORE = """
import json
from intake.invitations.tokens import create_tokens
from tests.config.backup.filled import TELLTALE as ASKS, answer
from tests.intake import asked
survey, doomed = asked.survey(ASKS, invited=True), asked.survey(ASKS)
tokens = create_tokens(survey, 60)
print(json.dumps([survey.pk, doomed.pk, tokens, answer(survey, 5, tokens[:5]), answer(doomed, 30)]))
"""
SINCE = """
import json
from surveys.models import Survey
from tests.config.backup.filled import answer, destroy
print(json.dumps(answer(Survey.objects.get(pk={survey}), 50, {tokens!r})))
destroy(Survey.objects.get(pk={doomed}))
from django.utils import timezone
from config.backup import irreversible_changes
irreversible_changes.on_tick(timezone.now())
"""


def in_base64(values: Sequence[str | bytes]) -> list[str]:
    encoded = [value.encode() if isinstance(value, str) else value for value in values]
    return [b64encode(value).decode() for value in encoded]


def test_a_backup_holds_no_record_that_is_sealed_and_nothing_that_was_deleted(embedded: Instance) -> None:
    home = embedded
    survey, doomed, tokens, waiting, gone = home.shell(BEFORE)
    answered = home.shell(SINCE.format(survey=survey, doomed=doomed, tokens=tokens[5:55]))
    content = b"".join(unpacked(home.back_up(), home))
    # A record in the inbox is a value of its own; of 55, twenty to thirty are in a batch.
    assert 25 <= len(found(content, in_base64([*waiting, *answered]))) <= 35
    links = in_base64(hashes(home, survey, tokens))
    assert found(content, in_base64(gone) + links[:40]) == []
    assert found(content, links[55:]) == links[55:]


def unpacked(path: Path, of: Instance) -> Iterator[bytes]:
    with path.open("rb") as file:
        for head, parts in verify_archive(path, file, [Key(of.secret)]).tables():
            yield repr(head).encode()
            yield from parts
