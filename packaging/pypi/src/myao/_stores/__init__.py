"""The parts of `SqliteStore`: each file adds some functions of the contract to the one before."""
