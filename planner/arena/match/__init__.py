"""One match: `referee` plays it, `record` stores it as a value and as JSON, `replay` checks such a log."""
