/** Small elements that every page uses. All data from the server is inserted as text. */
import { append, type Child, el, icon, onClick, renew, setText } from "../../ui/dom";
import { RequestError } from "../api";
import type { PolicyRef } from "../api-types";
import { ago, moment, plainName, words } from "../format";
import { to } from "../router";
import type { Interval, Scale } from "../scale";
import { svg } from "./svg";

export const ICONS = {
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  up: "M12 19V6M6 11l6-6 6 6",
  down: "M12 5v13M6 13l6 6 6-6",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  play: "M8 5l11 7-11 7z",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 20h4",
  share:
    "M8 12l8-5M8 12l8 5M6 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
};

/** A user-chosen name: shown as text, isolated from its surroundings, wrapped anywhere when it is long. */
export function name(text: string): HTMLElement {
  return el("bdi", { class: "name" }, plainName(text));
}

export function policyLink(policy: PolicyRef, options: { author?: boolean } = {}): HTMLElement {
  const link = el(
    "a",
    { class: "policy", attrs: { href: to.policy(policy.id) } },
    name(policy.name),
    el("span", { class: "version" }, `v${policy.version}`),
  );
  return options.author
    ? el("span", { class: "policy-author" }, link, personLink(policy.author_id, policy.author, "quiet small"))
    : link;
}

/** A person, with a link to the page about them. */
export function personLink(key: string, shown: string, kind = ""): HTMLElement {
  return el("a", { class: `person ${kind}`.trim(), attrs: { href: to.person(key) } }, name(shown));
}

export function link(href: string, ...children: Child[]): HTMLAnchorElement {
  return el("a", { attrs: { href } }, ...children);
}

/** A relative time; `keepTimes` updates it. */
export function time(iso: string | null | undefined): HTMLElement {
  const then = iso ? Date.parse(iso) : NaN;
  if (!Number.isFinite(then)) return el("span", { class: "quiet" }, "–");
  return el("time", { title: moment(then), attrs: { datetime: iso! } }, ago(then, Date.now()));
}

/** Update all relative times on the page periodically. */
export function keepTimes(root: ParentNode): void {
  setInterval(() => {
    for (const shown of root.querySelectorAll("time[datetime]")) {
      const then = Date.parse(shown.getAttribute("datetime")!);
      const text = ago(then, Date.now());
      if (shown.textContent !== text) shown.textContent = text;
    }
  }, 10_000);
}

const TONES: Record<string, string> = {
  completed: "good",
  complete: "quiet",
  finished: "quiet",
  running: "live",
  playing: "live",
  active: "live",
  in_progress: "live",
  open: "live",
  failed: "bad",
  out: "bad",
  champion: "good",
  promoted: "good",
  relegated: "bad",
  disqualified: "bad",
  aborted: "bad",
  pending: "plain",
  claimed: "live",
};

export function chip(state: string, text = words(state)): HTMLElement {
  return el("span", { class: `chip tone-${TONES[state] ?? "plain"}` }, text);
}

/** A score and its interval on the scale of the whole table. */
export function intervalBar(row: Interval, scale: Scale, tone = ""): SVGElement {
  const x = (value: number) => `${(100 * scale.at(value)).toFixed(2)}%`;
  const parts: SVGElement[] = [svg("line", { class: "bar-axis", x1: "0%", x2: "100%", y1: 9, y2: 9 })];
  const { score, low, high } = row;
  if (typeof low === "number" && typeof high === "number") {
    parts.push(svg("line", { class: "bar-range", x1: x(low), x2: x(high), y1: 9, y2: 9 }));
    if (low >= scale.low) parts.push(svg("line", { class: "bar-end", x1: x(low), x2: x(low), y1: 5, y2: 13 }));
    if (high <= scale.high) parts.push(svg("line", { class: "bar-end", x1: x(high), x2: x(high), y1: 5, y2: 13 }));
  }
  if (scale.low < 0 && scale.high > 0)
    parts.push(svg("line", { class: "bar-zero", x1: x(0), x2: x(0), y1: 1, y2: 17 }));
  if (typeof score === "number") parts.push(svg("circle", { class: "bar-score", cx: x(score), cy: 9, r: 4 }));
  return svg("svg", { class: `bar ${tone}`.trim(), width: "100%", height: 18, "aria-hidden": "true" }, ...parts);
}

/** A progress bar. */
export function progressBar(part: number, label: string): HTMLElement {
  const value = Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0));
  return el("progress", { class: "progress", attrs: { value: value.toFixed(4), max: 1, "aria-label": label } });
}

/** The children of a sentence in which commands stand between backticks. */
export function coded(text: string): Child[] {
  return text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

/** An empty state: the reason, and what to do. */
export function empty(text: string, ...actions: Child[]): HTMLElement {
  return el(
    "div",
    { class: "empty" },
    el("p", {}, ...coded(text)),
    actions.length > 0 && el("p", { class: "actions" }, ...actions),
  );
}

export function problem(error: Error): HTMLElement {
  return el("p", { class: "problem", attrs: { role: "alert" } }, error.message);
}

export function loading(): HTMLElement {
  return el("p", { class: "quiet loading" }, "Loading …");
}

/** The state of a page without data: an error, or a loading message. */
export function waitingFor(error: Error | null, next: string): HTMLElement {
  if (!error) return loading();
  const isUnknown = error instanceof RequestError && (error.status === 404 || error.status === 422);
  const needsSignIn = error instanceof RequestError && error.status === 401;
  return el(
    "div",
    { class: "column" },
    el("h1", {}, isUnknown ? "Page not found" : needsSignIn ? "Sign in to continue" : "Request failed"),
    problem(error),
    el(
      "p",
      { class: "actions" },
      needsSignIn && buttonLink(to.signIn(next), "Sign in"),
      !needsSignIn && !isUnknown && act("Try again", () => location.reload()),
      link(to.home(), "Front page"),
    ),
  );
}

export function buttonLink(href: string, text: string, path = ""): HTMLAnchorElement {
  return el("a", { class: "button solid", attrs: { href } }, path ? icon(path) : null, text);
}

/** A button. `key` tells buttons at the same place of a page that is drawn again from each other. */
export function act(text: string, run: () => void, kind = "", key = text): HTMLButtonElement {
  const attrs = { type: "button", "data-act": key };
  const control = el("button", { class: `button bordered ${kind}`.trim(), attrs }, text);
  onClick(control, run);
  return control;
}

/** A section of a page with a heading; its content elements stay the same. */
export class Part {
  readonly heading = el("h2");
  readonly body = el("div", { class: "part-body" });
  readonly note = el("div", { class: "part-note" });
  readonly element: HTMLElement;

  constructor(title: string, ...children: Child[]) {
    this.heading.textContent = title;
    append(this.body, children);
    this.element = el("section", { class: "panel" }, this.heading, this.body, this.note);
  }

  /** Show the body if it has content, otherwise a message. */
  show(title: string, isFull: boolean, ...instead: Child[]): void {
    setText(this.heading, title);
    this.body.hidden = !isFull;
    renew(this.note, ...(isFull ? [] : instead));
  }
}

export function facts(...pairs: ([string, Child] | null | false)[]): HTMLElement {
  const list = el("dl", { class: "facts" });
  for (const pair of pairs) if (pair) list.append(el("div", {}, el("dt", {}, pair[0]), el("dd", {}, pair[1])));
  return list;
}
