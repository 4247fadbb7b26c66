"""The key that authenticates backups: the SECRET_KEY of the instance, which is in no backup."""

import os
from pathlib import Path

from django.conf import settings

from config.backup.archive import BackupRefused, Key


def own_key() -> Key:
    """SECRET_KEY of the environment, or the file in VAR of an embedded instance, which `manage.py` does not read."""
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
