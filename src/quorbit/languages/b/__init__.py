"""B machines: text to a typed machine, its reference meaning, and its System."""
