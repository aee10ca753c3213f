"""The package index for setup scripts: pip in a box speaks to a proxy outside, which alone knows the credentials.

`settings` reads where packages come from on this machine, `upstream` fetches from there, `pages` rewrites the links of
an index page, `proxy` serves them to one box.
"""

from mettagrid.runner.boxed.index.proxy import IndexProxy
from mettagrid.runner.boxed.index.settings import PackageIndex, PackageSource, package_index

__all__ = ["IndexProxy", "PackageIndex", "PackageSource", "package_index"]
