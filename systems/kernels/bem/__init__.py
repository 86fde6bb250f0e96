"""Boundary elements for elastostatics: integration, assembly, solution and results. Arrays in, arrays out."""
