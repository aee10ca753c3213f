"""Tutorials as a script, a notebook and a page, kept in step.

The script is what people edit. It is cut into cells by `# %%` lines; the notebook has the same cells and what they
print, the page is the notebook as Markdown. `cogames docsync all` makes both, `cogames docsync check` finds what is
stale. A changed notebook is written back to its script with `cogames docsync nb-to-py`.

| cell | in the script | in the notebook | in the page |
|---|---|---|---|
| text | `# %% [markdown]` and comments | a Markdown cell | as it is |
| code | `# %%` | a code cell | a `python` block, what it prints below |
| commands | `# %% [console]` and `console("...")` | lines with `!` | a `console` block, what they print below |
| a file | `# %% [file NAME]` and its Python | `%%writefile NAME` | a `python` block |

A first line in a cell of code or commands says what the page leaves out: `# <<hide>>`, `# <<hide-input>>`,
`# <<hide-output>>`, or what it folds away: `# <<collapse-input>>`, `# <<collapse-output>>`. The notebook keeps no
outputs of `hide` and `hide-output`, so what differs from run to run, or is large, belongs there. `<<colab-link>>` in a
text stands for the address at which Colab opens the notebook.
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
