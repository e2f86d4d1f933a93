"""What a fit decides about its rows: their scale, their noise, and what it promises of them."""
