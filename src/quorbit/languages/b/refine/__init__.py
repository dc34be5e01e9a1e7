"""Whether one machine refines another: both in one machine, the product of their steps, runs told on both sides."""
