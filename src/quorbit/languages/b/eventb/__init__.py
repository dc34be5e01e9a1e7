"""Event-B: packages of ProB and projects of Rodin, read into machines of B."""
