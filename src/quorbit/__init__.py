"""Quorbit: a model checker that looks at one state per orbit."""

__version__ = "0.1.0"
