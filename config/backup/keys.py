"""The key that seals backups: the SECRET_KEY of the instance, which no backup holds."""

import os
from pathlib import Path

from django.conf import settings

from config.backup.archive import BackupRefused, Key


def own_key() -> Key:
    """Of the environment, or what an embedded instance keeps in VAR, which `manage.py` alone does not read."""
    if os.environ.get("SECRET_KEY", "").strip():
        return Key(settings.SECRET_KEY)
    file: Path = settings.VAR / "secret-key"
    try:
        secret = file.read_text().strip()
    except OSError:
        secret = ""
    if not secret:
        raise BackupRefused(f"there is no key: set SECRET_KEY, or put the instance's into {file}")
    return Key(secret)


def key_in(path: Path) -> Key:
    try:
        secret = path.read_text().strip()
    except (OSError, ValueError) as error:
        raise BackupRefused(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or 'not text'})"
        ) from None
    if not secret:
        raise BackupRefused(f"{path} is empty; it should hold the SECRET_KEY that the backup was made with")
    return Key(secret)
