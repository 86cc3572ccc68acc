"""Quality gates for rankings in a pytest suite.

Not implemented yet: the plugin is loaded by pytest under the name ``rankmetrics`` and adds nothing,
no option, no fixture and no assertion.

PYTEST_DONT_REWRITE: pytest marks every package of a distribution that has a pytest plugin for
assertion rewriting, and warns when such a package was imported before pytest started. Neither
package of this distribution fails by a bare ``assert``, so there is nothing to rewrite, and this
word switches the warning off.
"""
