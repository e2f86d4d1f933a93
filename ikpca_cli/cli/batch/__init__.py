"""Many files: threads, processes, clusters."""
