"""Records and record files: encode, decode, check, store as columns."""

from privacy.records.record import (
    DISGUISED,
    OPEN,
    Envelope,
    Record,
    check_codes,
    decode_answers,
    encode_answers,
    parse_envelope,
    parse_record,
    read_record,
)
from privacy.records.record_file import RecordRow, TrueRow, open_table_file, read_truth, write_records

__all__ = [
    "DISGUISED",
    "OPEN",
    "Envelope",
    "Record",
    "RecordRow",
    "TrueRow",
    "check_codes",
    "decode_answers",
    "encode_answers",
    "open_table_file",
    "parse_envelope",
    "parse_record",
    "read_record",
    "read_truth",
    "write_records",
]
