"""Run user agents in separate processes: `agent_host` in the child, `remote_agent` in the referee's process."""
