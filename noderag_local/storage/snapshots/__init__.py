"""Caches of whole tables that open faster than rows."""
