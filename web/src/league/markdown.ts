/**
 * Parse the Markdown subset of descriptions into a tree. HTML is plain text: only the elements listed here
 * are created, and links go only to http, https or a page of this site.
 */
export type Inline = string | { tag: "strong" | "em" | "code" | "a"; href?: string; children: Inline[] };
export type Block =
  | { tag: "heading"; level: number; children: Inline[] }
  | { tag: "p" | "quote"; children: Inline[] }
  | { tag: "code"; text: string }
  | { tag: "list"; ordered: boolean; items: Inline[][] }
  | { tag: "table"; head: Inline[][]; rows: Inline[][][] }
  | { tag: "rule" };

const MOST_DEPTH = 4;

export function parseMarkdown(text: string): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const fence = /^\s*(```+|~~~+)/.exec(line);
    if (!line.trim()) at++;
    else if (fence) {
      const end = lines.findIndex((other, i) => i > at && other.trim().startsWith(fence[1]));
      blocks.push({ tag: "code", text: lines.slice(at + 1, end < 0 ? lines.length : end).join("\n") });
      at = end < 0 ? lines.length : end + 1;
    } else if (heading) {
      blocks.push({ tag: "heading", level: heading[1].length, children: inline(heading[2]) });
      at++;
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      blocks.push({ tag: "rule" });
      at++;
    } else if (isTable(lines, at)) {
      const end = endOf(lines, at, (other) => other.includes("|"));
      const rows = lines.slice(at, end).map((row) => cells(row).map((cell) => inline(cell)));
      blocks.push({ tag: "table", head: rows[0], rows: rows.slice(2) });
      at = end;
    } else if (ITEM.test(line)) {
      const end = endOf(lines, at, (other) => ITEM.test(other) || /^\s{2,}\S/.test(other));
      const items: string[] = [];
      for (const other of lines.slice(at, end)) {
        const item = ITEM.exec(other);
        if (item) items.push(item[2]);
        else items[items.length - 1] += ` ${other.trim()}`;
      }
      blocks.push({ tag: "list", ordered: /\d/.test(ITEM.exec(line)![1]), items: items.map((item) => inline(item)) });
      at = end;
    } else if (/^\s*>/.test(line)) {
      const end = endOf(lines, at, (other) => /^\s*>/.test(other));
      blocks.push({
        tag: "quote",
        children: inline(
          lines
            .slice(at, end)
            .map((other) => other.replace(/^\s*>\s?/, ""))
            .join(" "),
        ),
      });
      at = end;
    } else {
      const end = endOf(lines, at, (other) => !/^(#{1,6}\s|\s*(```|~~~|>))/.test(other) && !ITEM.test(other));
      blocks.push({
        tag: "p",
        children: inline(
          lines
            .slice(at, end)
            .map((other) => other.trim())
            .join(" "),
        ),
      });
      at = end;
    }
  }
  return blocks;
}

const ITEM = /^\s*([-*+]|\d{1,9}[.)])\s+(.*)$/;

function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && goesOn(lines[end])) end++;
  return end;
}

function isTable(lines: readonly string[], at: number): boolean {
  return (
    lines[at].includes("|") &&
    /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at + 1] ?? "") &&
    (lines[at + 1] ?? "").includes("|")
  );
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

const INLINE =
  /(?<code>`+)(?<text>.+?)\k<code>|\*\*(?<strong>.+?)\*\*|__(?<strong2>.+?)__|\*(?<em>[^*\s][^*]*?)\*|(?<![\w_])_(?<em2>[^_\s][^_]*?)_(?![\w_])|\[(?<label>[^\]]*)\]\((?<href>[^()\s]*)\)|(?<url>https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"])/u;

export function inline(text: string, depth = 0): Inline[] {
  const pieces: Inline[] = [];
  let rest = text;
  while (rest) {
    const match = depth < MOST_DEPTH ? INLINE.exec(rest) : null;
    if (!match?.groups) {
      pieces.push(rest);
      break;
    }
    if (match.index) pieces.push(rest.slice(0, match.index));
    pieces.push(element(match, depth));
    rest = rest.slice(match.index + match[0].length);
  }
  return pieces;
}

function element(match: RegExpExecArray, depth: number): Inline {
  const { text, strong, strong2, em, em2, label, href, url } = match.groups!;
  if (text !== undefined) return { tag: "code", children: [text.trim()] };
  if (strong ?? strong2) return { tag: "strong", children: inline(strong ?? strong2, depth + 1) };
  if (em ?? em2) return { tag: "em", children: inline(em ?? em2, depth + 1) };
  if (url) return { tag: "a", href: url, children: [url] };
  const safe = safeHref(href);
  const children = inline(label, MOST_DEPTH - 1);
  return safe === null ? match[0] : { tag: "a", href: safe, children };
}

/** The address when it leads to the web or to a page of this site; null for everything else, such as `javascript:`. */
export function safeHref(href: string): string | null {
  if (/^\/(?![/\\])[^\\]*$/.test(href)) return href;
  try {
    const url = new URL(href);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}
