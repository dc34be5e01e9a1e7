"""What functions of libraries and of trees do to values."""
