"""Pictures: what ``--plot`` draws. Nothing here is imported without it, matplotlib least of all."""
