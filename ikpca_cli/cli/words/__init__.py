"""Words for numbers: sentences after tables, and what each number means."""
