"""Tests of the installed package. `scripts/test-pypi` runs them."""
