"""Finding values that satisfy conditions: cells with finite domains, and tests decided before all is known."""
