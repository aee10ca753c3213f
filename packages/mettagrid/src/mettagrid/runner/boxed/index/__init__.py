"""The package index for setup scripts: pip in a box connects to a proxy outside, which holds the credentials.

`settings` reads the package sources of this machine, `upstream` downloads from them, `pages` rewrites the links of an
index page, `proxy` serves them to one box.
"""

from mettagrid.runner.boxed.index.proxy import IndexProxy
from mettagrid.runner.boxed.index.settings import PackageIndex, PackageSource, package_index

__all__ = ["IndexProxy", "PackageIndex", "PackageSource", "package_index"]
