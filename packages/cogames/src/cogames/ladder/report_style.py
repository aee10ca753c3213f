"""The stylesheet of the report, for light and dark themes."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --quiet: #57606a; --line: #d4d9e0;
  --accent: #0b6bcb; --on-accent: #ffffff; --good: #1a7f37; --bad: #b42318; --even: #eceef2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --card: #1d2129; --ink: #e6e9ee; --quiet: #9aa4b2; --line: #343b47;
    --accent: #6cb2ff; --on-accent: #0d1117; --good: #3fae63; --bad: #e0685a; --even: #2a303a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 0 0 .9rem; }
section { margin-top: 2.25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
a, .winner { color: var(--accent); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.quiet, dt { color: var(--quiet); }
p.quiet { font-size: .9rem; max-width: 60rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: middle; padding: .45rem .9rem .45rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); white-space: nowrap; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.number .quiet { margin-left: .4rem; font-size: .85em; }
.pair { white-space: nowrap; }
.decided { font-weight: 600; white-space: nowrap; }
.differences { color: var(--quiet); font-size: .9em; }
dl { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0 0; }
dl > div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .45rem .9rem; }
dt { font-size: .8rem; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.bar { display: block; width: 12.5rem; height: 1.125rem; }
.bar .axis { stroke: var(--line); stroke-width: 1; }
.bar .interval { stroke: var(--accent); stroke-width: 4; stroke-linecap: round; opacity: .45; }
.bar .dot { fill: var(--accent); }
.matrix { width: auto; border-collapse: separate; border-spacing: 3px; }
.matrix th, .matrix td { border: 0; padding: .35rem .6rem; }
.matrix thead th { text-align: center; }
.matrix td { min-width: 3.1rem; text-align: center; border-radius: .35rem; font-variant-numeric: tabular-nums; }
.matrix .self { background: var(--card); }
.matrix .unplayed { color: var(--quiet); }
.share { background: var(--even); }
.s0 { background: color-mix(in srgb, var(--bad) 55%, var(--even)); }
.s1 { background: color-mix(in srgb, var(--bad) 45%, var(--even)); }
.s2 { background: color-mix(in srgb, var(--bad) 34%, var(--even)); }
.s3 { background: color-mix(in srgb, var(--bad) 23%, var(--even)); }
.s4 { background: color-mix(in srgb, var(--bad) 11%, var(--even)); }
.s6 { background: color-mix(in srgb, var(--good) 11%, var(--even)); }
.s7 { background: color-mix(in srgb, var(--good) 23%, var(--even)); }
.s8 { background: color-mix(in srgb, var(--good) 34%, var(--even)); }
.s9 { background: color-mix(in srgb, var(--good) 45%, var(--even)); }
.s10 { background: color-mix(in srgb, var(--good) 55%, var(--even)); }
.cards { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem;
  grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); }
.card { display: flex; flex-direction: column; gap: .35rem; align-items: flex-start; padding: .9rem 1rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.card span { color: var(--quiet); font-size: .9rem; }
button { font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0;
  border-radius: .4rem; padding: .3rem 1rem; cursor: pointer; margin-top: auto; }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dialog { width: 96vw; height: 94vh; max-width: none; max-height: none; padding: 0; border: 1px solid var(--line);
  border-radius: .6rem; background: var(--paper); color: var(--ink); overflow: hidden; }
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(0 0 0 / 60%); }
.bar-top { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .5rem .9rem; }
iframe { flex: 1; width: 100%; border: 0; }
@media print { dialog, button { display: none; } }
"""
