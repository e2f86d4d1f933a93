"""Arrays that windows are cut from: stretches of recordings, single rows, and gaps in them."""
