"""Tables: matches on the server, with people, agents and spectators (docs/reference/tables.md)."""
