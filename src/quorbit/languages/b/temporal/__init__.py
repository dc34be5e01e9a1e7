"""Temporal formulas as ProB writes them: of states, of steps and of the past."""
