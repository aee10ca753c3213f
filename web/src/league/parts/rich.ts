import { type Child, el } from "../../ui/dom";
import { type Block, type Inline, parseMarkdown } from "../markdown";

/** Render Markdown as elements; `markdown.ts` lists the supported subset. */
export function rich(text: string): HTMLElement {
  return el("div", { class: "rich" }, ...parseMarkdown(text).map(block));
}

function block(found: Block): Child {
  switch (found.tag) {
    case "heading":
      // The page has its own first heading, and the part its second.
      return el(found.level <= 1 ? "h3" : found.level === 2 ? "h4" : "h5", {}, ...found.children.map(piece));
    case "p":
      return el("p", {}, ...found.children.map(piece));
    case "quote":
      return el("blockquote", {}, ...found.children.map(piece));
    case "code":
      return el("pre", { attrs: { tabindex: 0 } }, el("code", {}, found.text));
    case "rule":
      return el("hr");
    case "list":
      return el(found.ordered ? "ol" : "ul", {}, ...found.items.map((item) => el("li", {}, ...item.map(piece))));
    case "table": {
      const head = el("tr", {}, ...found.head.map((cell) => el("th", { attrs: { scope: "col" } }, ...cell.map(piece))));
      const rows = found.rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, ...cell.map(piece)))));
      return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
    }
  }
}

function piece(found: Inline): Child {
  if (typeof found === "string") return found;
  const children = found.children.map(piece);
  if (found.tag !== "a") return el(found.tag, {}, ...children);
  return el("a", { attrs: { href: found.href ?? "", rel: "noopener noreferrer nofollow" } }, ...children);
}
