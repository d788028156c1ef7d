"""Whimbrel keeps a fresh, duplicate-free, searchable copy of the sites you care about."""

__version__ = "0.1.0"
