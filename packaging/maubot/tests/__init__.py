"""Tests of the packed plugin, with a real homeserver. `scripts/test-maubot` runs them."""
