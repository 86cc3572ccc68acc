"""Types, shapes and options beside the reference of their layout: nothing may be a trap."""
