"""Readers: problem files of other programs made into worlds. Each format is a package of its own."""
