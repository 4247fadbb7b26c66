"""What people see of releases."""
