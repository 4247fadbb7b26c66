"""How static files are named and packed."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):
    """A module's imports carry hashes too: after an update no old part of the disguise meets a new one."""

    support_js_module_import_aggregation = True
