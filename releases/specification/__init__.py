"""What a release is asked to be: roles of columns, criteria, orders and groups of values, as proposed and as chosen."""
