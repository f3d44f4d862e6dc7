"""Reading, validating and describing the files and JSON values that users write."""
