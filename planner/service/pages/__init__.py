"""The pages for people. docs/browser.md."""
