"""A Matrix bot that remembers rooms and answers with sources: a maubot plugin over the package `myao`."""

from .plugin import MyaoBot

__all__ = ["MyaoBot"]
