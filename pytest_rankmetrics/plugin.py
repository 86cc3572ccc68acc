"""The module that pytest loads: not implemented yet, it adds nothing.

Every pytest run of an environment in which this distribution is installed imports this module, so
it may import pytest and the standard library only.
"""
