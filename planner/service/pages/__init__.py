"""The pages for people. docs/how-to/browser.md."""
