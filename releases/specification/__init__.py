"""The specification of a release: roles of columns, criteria, orders and groups of values, as proposed and as
chosen."""
