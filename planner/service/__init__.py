"""The service: plans over HTTP, and pages for people."""
