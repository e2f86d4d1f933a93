"""Pictures, and stacks of them."""
