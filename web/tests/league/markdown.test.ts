import { describe, expect, it } from "vitest";
import { type Block, type Inline, inline, parseMarkdown, safeHref } from "../../src/league/markdown";

describe("descriptions in Markdown", () => {
  it("have headings, paragraphs, lists, code, quotes and tables", () => {
    const tags = parseMarkdown(
      "# Title\n\ntext\nmore\n\n- one\n- two\n  continued\n\n1. first\n\n```\n<b>\n```\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    );
    expect(tags.map((block) => block.tag)).toEqual(["heading", "p", "list", "list", "code", "quote", "rule", "table"]);
    const list = tags[2] as Extract<Block, { tag: "list" }>;
    expect(list.items).toEqual([["one"], ["two continued"]]);
    expect(tags[4]).toEqual({ tag: "code", text: "<b>" });
    expect(tags[7]).toEqual({ tag: "table", head: [["a"], ["b"]], rows: [[["1"], ["2"]]] });
  });

  it("have words in bold, italics and code, and links", () => {
    expect(inline("a **b _c_** `d*e*` [f](https://x.y/z)")).toEqual([
      "a ",
      { tag: "strong", children: ["b ", { tag: "em", children: ["c"] }] },
      " ",
      { tag: "code", children: ["d*e*"] },
      " ",
      { tag: "a", href: "https://x.y/z", children: ["f"] },
    ]);
    expect(inline("snake_case_name and 2 * 3 * 4")).toEqual(["snake_case_name and 2 * 3 * 4"]);
    expect(inline("see https://a.b/c.")).toEqual([
      "see ",
      { tag: "a", href: "https://a.b/c", children: ["https://a.b/c"] },
      ".",
    ]);
  });

  it("never become HTML or links to scripts", () => {
    const hostile = "<script>alert(1)</script> <img src=x onerror=alert(1)>";
    expect(parseMarkdown(hostile)).toEqual([{ tag: "p", children: [hostile] }]);
    for (const href of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "//evil.example",
      "/\\evil.example",
      "\tjavascript:alert(1)",
      "file:///etc/passwd",
    ]) {
      expect(safeHref(href)).toBeNull();
      expect(inline(`[x](${href})`).every((piece) => typeof piece === "string" || piece.tag !== "a")).toBe(true);
    }
    expect([safeHref("/observatory/queue"), safeHref("http://a.b")]).toEqual(["/observatory/queue", "http://a.b/"]);
  });

  it("keep every character of any input", () => {
    const letters = (pieces: Inline[]): string =>
      pieces.map((piece) => (typeof piece === "string" ? piece : letters(piece.children))).join("");
    for (const text of [
      "*".repeat(5000),
      "`".repeat(5000),
      "[".repeat(5000),
      "_a".repeat(2500),
      "a(b)[c](d)e".repeat(500),
    ]) {
      const blocks = parseMarkdown(`x${text}`);
      expect(blocks.map((block) => block.tag)).toEqual(["p"]);
      const kept = letters((blocks[0] as { children: Inline[] }).children);
      expect(kept.replace(/[*_`]/g, "")).toBe(`x${text}`.replace(/[*_`]/g, ""));
    }
  });
});
