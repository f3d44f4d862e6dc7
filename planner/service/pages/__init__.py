"""The pages for people: a table with its plan, a match against an agent, match logs and tournaments."""
