"""The stylesheet of the report, for light and dark themes."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --quiet: #57606a; --line: #d4d9e0;
  --accent: #0b6bcb; --good: #1a7f37; --bad: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --card: #1d2129; --ink: #e6e9ee; --quiet: #9aa4b2; --line: #343b47;
    --accent: #6cb2ff; --good: #57c878; --bad: #ff8a7a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
section { margin-top: 2rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
a { color: var(--accent); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.quiet, dt { color: var(--quiet); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); }
td:first-child code { white-space: nowrap; }
td ul { margin: 0; padding-left: 1.1rem; }
dl { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
dl > div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem; }
dt { font-size: .85rem; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.radar { display: block; width: 20rem; max-width: 100%; }
.radar .ring { fill: none; stroke: var(--line); }
.radar .shape { fill: var(--accent); fill-opacity: .25; stroke: var(--accent); stroke-width: 2; }
.radar text { fill: var(--ink); font-size: 13px; text-anchor: middle; }
"""
