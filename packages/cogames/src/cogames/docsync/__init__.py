"""Keep each tutorial's script, notebook and page in sync.

The script is the source. `# %%` lines divide it into cells; the notebook has the same cells with their outputs, and the
page is the notebook as Markdown. `cogames docsync all` writes both, `cogames docsync check` finds stale files.
`cogames docsync nb-to-py` writes a changed notebook back to its script.

| cell | in the script | in the notebook | in the page |
|---|---|---|---|
| text | `# %% [markdown]` and comments | a Markdown cell | unchanged |
| code | `# %%` | a code cell | a `python` block, its output below |
| commands | `# %% [console]` and `console("...")` | lines with `!` | a `console` block, its output below |
| a file | `# %% [file NAME]` and its Python | `%%writefile NAME` | a `python` block |

A directive in the first line of a code or command cell hides parts of it in the page (`# <<hide>>`,
`# <<hide-input>>`, `# <<hide-output>>`) or folds them (`# <<collapse-input>>`, `# <<collapse-output>>`). The notebook
stores no outputs of `hide` and `hide-output` cells: use them for output that is large or differs from run to run.
`<<colab-link>>` in a text is replaced by the URL that opens the notebook in Colab.
"""

from cogames.docsync.cells import Cell, DocsyncError
from cogames.docsync.markdown import write_markdown
from cogames.docsync.notebook import read_notebook, write_notebook
from cogames.docsync.percent import read_script, write_script
from cogames.docsync.tutorials import Tutorial, find_tutorials

__all__ = [
    "Cell",
    "DocsyncError",
    "Tutorial",
    "find_tutorials",
    "read_notebook",
    "read_script",
    "write_markdown",
    "write_notebook",
    "write_script",
]
