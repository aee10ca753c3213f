/** What decided a match: failures with their place in the log, timelines, turning points, and counts of actions. */
import { type Child, el, renew } from "../../ui/dom";
import type { Difference, Explanation, MatchExplanation, Moment, PolicyFailure } from "../api-types";
import { count, counted, NONE, percent, plainName, score, words } from "../format";
import { countsOf, differencesTitle, type PolicyCounts, timelinesOf } from "../timelines";
import { empty } from "./bits";
import { type Column, LiveTable } from "./table";
import { TimelineChart } from "./timeline-chart";

export const REPLAY_FRAME = "replay-frame";

/** The charts of an explanation; each keeps its element. */
export class Timelines {
  readonly element = el("div", { class: "timelines" });
  private readonly charts = new Map<string, TimelineChart>();

  update(explanation: Explanation): void {
    const marks = explanation.moments.map(({ tick }, i) => ({ number: i + 1, tick }));
    const shown = timelinesOf(explanation).map((timeline) => {
      const chart = this.charts.get(timeline.title) ?? new TimelineChart();
      this.charts.set(timeline.title, chart);
      chart.update(timeline, marks);
      return chart.element;
    });
    this.element.replaceChildren(...shown);
  }
}

export function countsTable(caption: string): LiveTable<PolicyCounts> {
  return new LiveTable<PolicyCounts>(
    caption,
    [
      {
        title: "Policy",
        kind: "name",
        cell: (row) => [
          el("bdi", { class: "name" }, plainName(row.name)),
          el("span", { class: "quiet small" }, ` ${counted(row.agents, "agent")}`),
        ],
      },
      figure("Idle", "steps without an action", (row) => row.idle, percent),
      figure("Blocked", "moves into an obstacle", (row) => row.blocked, percent),
      figure("Failed", "other actions without effect", (row) => row.failed, percent, "tablet"),
      figure("Missed deadlines", "answers after the deadline", (row) => row.missed, count, "tablet"),
      figure("Taken", "per agent", (row) => row.taken, tenths, "tablet"),
      figure("Hearts", "per agent", (row) => row.hearts, tenths, "tablet"),
      figure("Deaths", "per agent", (row) => row.deaths, tenths, "tablet"),
      figure("Cells", "visited per agent", (row) => row.cells, count, "desktop"),
    ],
    (row) => String(row.index),
  );
}

const tenths = (value: number) => score(value, 1);

/** A number; the column is left out in games that do not have it. */
function figure(
  title: string,
  about: string,
  value: (row: PolicyCounts) => number | null,
  format: (value: number) => string,
  from?: Column<PolicyCounts>["from"],
): Column<PolicyCounts> {
  const cell = (row: PolicyCounts) => {
    const number = value(row);
    return number === null ? NONE : format(number);
  };
  return { title, kind: "number", about, from, value, cell };
}

/** The section of the match page. `viewer` is the address of its replay, null without one. */
export class ExplanationPart {
  readonly element = el("div", { class: "column" });
  private readonly above = el("div", { class: "column" });
  private readonly timelines = new Timelines();
  private readonly below = el("div", { class: "column" });
  private readonly table = countsTable("Actions of each policy");
  private readonly actions = el("div", { class: "column" }, el("h3", {}, "Actions"), this.table.element);

  constructor() {
    this.element.append(this.above, this.timelines.element, this.below, this.actions);
  }

  update(answer: MatchExplanation, viewer: string | null): void {
    const { explanation, failures } = answer;
    renew(
      this.above,
      ...failures.map((failure) => failureBox(failure, viewer)),
      explanation?.summary.length ? sentences(explanation.summary) : null,
      explanation ? null : empty(`${answer.why_not ?? "There are no timelines"}.`),
    );
    this.timelines.element.hidden = this.below.hidden = this.actions.hidden = explanation === null;
    if (!explanation) return;
    this.timelines.update(explanation);
    renew(
      this.below,
      el("h3", {}, "Turning points"),
      explanation.moments.length ? momentList(explanation.moments, viewer) : empty("No turning points were found."),
      ...differenceList(explanation),
    );
    this.table.update(countsOf(explanation));
  }
}

export function sentences(texts: readonly string[]): HTMLElement {
  return el("ul", { class: "plain-list" }, ...texts.map((text) => el("li", {}, plainName(text))));
}

/** Turning points in order; each opens the replay at its step. */
export function momentList(moments: readonly Moment[], viewer: string | null): HTMLElement {
  return el(
    "ol",
    { class: "moments" },
    ...moments.map((moment) => el("li", {}, tickLink(viewer, moment.tick, plainName(moment.text)))),
  );
}

export function differenceList(explanation: Explanation): Child[] {
  if (explanation.policies.length < 2) return [];
  const title = el("h3", {}, plainName(differencesTitle(explanation)));
  if (!explanation.differences.length) return [title, empty("Their rates hardly differ.")];
  return [title, sentences(explanation.differences.map((row: Difference) => row.text))];
}

/** A link to a step: it moves the embedded replay, or opens another tab with the usual keys. */
export function tickLink(viewer: string | null, tick: number, text: string): Child {
  if (viewer === null) return text;
  const frame = `iframe[name=${REPLAY_FRAME}]`;
  const attrs = { href: `${viewer}#tick=${tick}`, target: REPLAY_FRAME };
  const show = () => document.querySelector(frame)?.scrollIntoView({ block: "center" });
  return el("a", { attrs, on: { click: show } }, text);
}

function failureBox(failure: PolicyFailure, viewer: string | null): HTMLElement {
  const { name, status, step, missed_deadlines: missed, message, log } = failure;
  const late = missed ? `, ${counted(missed, "missed deadline")}` : "";
  const isPlaying = status === "timed_out";
  const label = isPlaying ? "played to the end" : words(status);
  return el(
    "div",
    { class: "problem", attrs: { role: "note" } },
    el(
      "p",
      {},
      el("strong", {}, el("bdi", { class: "name" }, plainName(name)), `: ${label}`),
      step === null ? "" : " at ",
      step === null ? "" : tickLink(viewer, step, `step ${step}`),
      late,
    ),
    ...(message ?? "").split("\n").map((line) => (line && line !== `at step ${step}` ? el("p", {}, line) : null)),
    log
      ? el(
          "div",
          {},
          el("p", { class: "small" }, `In the log of agent ${log.agent}, line ${log.line}:`),
          el("pre", { class: "log-place", attrs: { tabindex: 0 } }, log.lines.join("\n")),
        )
      : null,
  );
}
