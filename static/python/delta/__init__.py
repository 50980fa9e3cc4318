"""Delta's Python package: tables here are reached through SQL instead; see `delta.tables`."""
