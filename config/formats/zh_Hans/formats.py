"""Date formats for Chinese."""

DATE_FORMAT = "Y年n月j日"
SHORT_DATE_FORMAT = "Y年n月j日"
DATETIME_FORMAT = "Y年n月j日 H:i"
SHORT_DATETIME_FORMAT = "Y年n月j日 H:i"
TIME_FORMAT = "H:i"
