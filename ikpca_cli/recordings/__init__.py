"""Recordings and pictures: windows cut from them, and put back when they are clean."""
