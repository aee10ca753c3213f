"""The renderer behind `render_mode="unicode"` under its published name; `mettagrid.terminal` has its parts."""
