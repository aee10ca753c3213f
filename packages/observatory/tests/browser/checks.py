"""What is looked at on every page, as programs for the browser; each gives a list of what is wrong."""

STRUCTURE = """() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) {
    const beyond = (e) => e.getBoundingClientRect().right > innerWidth + 1;
    const wide = [...document.querySelectorAll("main *")].filter(beyond);
    found.push("scrolls sideways: " + wide.slice(0, 4).map((e) => `${e.tagName}.${e.className}`).join(" "));
  }
  if (document.body.id === "broken" || document.title === "broken") found.push("a name ran as a program");
  if (document.querySelector("main img[src=x], main script, main b")) found.push("a name became an element");
  if (document.querySelectorAll("h1").length !== 1) found.push("not one first heading");
  if (!document.documentElement.lang || !document.title) found.push("no language or title");
  for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, iframe, img")) {
    const named = e.getAttribute("aria-label") || e.title || e.alt || e.textContent.trim() || e.labels?.length;
    if (!named) found.push(`${e.tagName}.${e.className} has no name`);
  }
  for (const e of document.querySelectorAll("table.rows")) {
    const isNamed = e.caption && [...e.querySelectorAll("thead th")].every((head) => head.scope === "col");
    if (!isNamed) found.push("a table without names");
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) found.push("an id is there twice");
  return found;
}"""

CONTRAST = """() => {
  const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map((value) => part(Number(value) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (/^rgb\\(/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const e of document.querySelectorAll("main *, header *")) {
    const hasText = [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const colour = getComputedStyle(e).color;
    if (!hasText || !/^rgb\\(/.test(colour) || !e.getClientRects().length || e.closest(".unseen, :disabled")) continue;
    const [a, b] = [light(colour), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""
