import { type Child, el } from "../../ui/dom";
import { type Block, type Inline, parseMarkdown } from "../markdown";

/** Render Markdown as elements; `markdown.ts` lists the supported subset. */
export function rich(text: string): HTMLElement {
  return el("div", { class: "rich" }, ...parseMarkdown(text).map(blockElement));
}

function blockElement(block: Block): Child {
  switch (block.tag) {
    case "heading":
      // The page has its own first heading, and the part its second.
      return el(block.level <= 1 ? "h3" : block.level === 2 ? "h4" : "h5", {}, ...block.children.map(inlineElement));
    case "p":
      return el("p", {}, ...block.children.map(inlineElement));
    case "quote":
      return el("blockquote", {}, ...block.children.map(inlineElement));
    case "code":
      return el("pre", { attrs: { tabindex: 0 } }, el("code", {}, block.text));
    case "rule":
      return el("hr");
    case "list":
      return el(
        block.ordered ? "ol" : "ul",
        {},
        ...block.items.map((item) => el("li", {}, ...item.map(inlineElement))),
      );
    case "table": {
      const head = el(
        "tr",
        {},
        ...block.head.map((cell) => el("th", { attrs: { scope: "col" } }, ...cell.map(inlineElement))),
      );
      const rows = block.rows.map((row) =>
        el("tr", {}, ...row.map((cell) => el("td", {}, ...cell.map(inlineElement)))),
      );
      return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
    }
  }
}

function inlineElement(inline: Inline): Child {
  if (typeof inline === "string") return inline;
  const children = inline.children.map(inlineElement);
  if (inline.tag !== "a") return el(inline.tag, {}, ...children);
  return el("a", { attrs: { href: inline.href ?? "", rel: "noopener noreferrer nofollow" } }, ...children);
}
