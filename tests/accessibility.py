"""Checks of a page against WCAG 2.2 AA, as programs for the browser; each returns a list of findings."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.support import ROOT, missing

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"

_RUN = """async (rules) => {
  const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const { violations } = await axe.run(document, { ...only, iframes: false, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) =>
      `${id}: ${target.join(" ")} (${[...any, ...all, ...none].map(({ message }) => message).join("; ")})`));
}"""
COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""rules whose result depends on the theme"""

FITTING = """() => {
  const found = [];
  const say = (what, e) => {
    const name = `${e.tagName.toLowerCase()}.${e.className?.baseVal ?? e.className}`;
    found.push(`${what}: ${name} "${e.textContent.trim().slice(0, 40)}"`);
  };
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth + 1) {
    const isBeyond = (e) => e.getBoundingClientRect().right > innerWidth + 1;
    for (const e of [...document.querySelectorAll("body *")].filter(isBeyond).slice(-3)) say("scrolls sideways", e);
  }
  const scrolls = (style) => /auto|scroll/.test(style.overflowX + style.overflowY);
  for (const e of document.querySelectorAll("body *")) {
    const texts = [...e.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!texts.length || !e.getClientRects().length || e.closest(".unseen, .skip, option, svg, [inert]")) continue;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(e);
    const hides = (value) => value === "hidden" || value === "clip";
    if (hides(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && style.textOverflow !== "ellipsis")
      say("cut off", e);
    if (hides(style.overflowY) && e.scrollHeight > e.clientHeight + 2 && style.webkitLineClamp === "none")
      say("cut off below", e);
    if (style.pointerEvents === "none") continue; // `elementFromPoint` looks through it
    const range = document.createRange();
    range.selectNodeContents(texts[0]);
    const box = range.getClientRects()[0];
    if (!box || !box.width) continue;
    let area = e.parentElement, isScrolled = scrolls(style);
    for (; area && area !== root && !isScrolled; area = area.parentElement)
      isScrolled = scrolls(getComputedStyle(area));
    if (isScrolled) continue;
    const [x, y] = [box.left + Math.min(box.width, 40) / 2, box.top + box.height / 2];
    if (x < 0 || x >= innerWidth || y < 0 || y >= innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    if (top && !e.contains(top) && !top.contains(e) && !top.closest("label")?.contains(e)) {
      const over = `${top.tagName.toLowerCase()}.${top.className?.baseVal ?? top.className}`;
      say(`covered by ${over}`, e);
    }
  }
  return [...new Set(found)];
}"""


@cache
def _axe() -> str:
    if not AXE.exists():
        missing("axe-core is not installed; run `make web`")
    return AXE.read_text(encoding="utf-8")


def axe_findings(page: Page | Frame, *rules: str) -> list[str]:
    """Return the violations that axe finds in the document of a page, without its frames; by default of all rules."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(_axe())
    findings: list[str] = page.evaluate(_RUN, list(rules))
    return findings


def fitting_findings(page: Page) -> list[str]:
    """Return which text is cut off, covered or beyond the right edge of the window."""
    findings: list[str] = page.evaluate(FITTING)
    return findings
