"""The service: plans over HTTP. docs/service.md."""
