"""Tests of the installed package. `scripts/test-pypi` runs them."""

import logging

# In tests, asyncio warns of every step that takes long on a busy machine.
logging.getLogger("asyncio").setLevel(logging.ERROR)
