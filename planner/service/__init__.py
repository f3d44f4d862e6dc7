"""The service: plans over HTTP. docs/how-to/service.md."""
