import { el } from "../../ui/dom";
import type { SeasonPreview } from "../api-types";
import { bytes, count, counted, duration } from "../format";
import { facts } from "./bits";

/** What a season would play, how long it takes and what it stores. */
export function previewOf(preview: SeasonPreview): HTMLElement {
  const rows = preview.stages.map((stage) =>
    el(
      "tr",
      {},
      el("th", { class: "cell-name", attrs: { scope: "row" } }, stage.title),
      el("td", { class: "from-tablet small" }, stage.sentence),
      el("td", { class: "cell-number" }, count(stage.policies)),
      el("td", { class: "cell-number" }, count(stage.matches)),
    ),
  );
  const head = ["Stage", "What is played", "Policies", "Matches"].map((title, i) =>
    el("th", { class: i === 1 ? "from-tablet" : i > 1 ? "cell-number" : "", attrs: { scope: "col" } }, title),
  );
  return el(
    "div",
    { class: "column" },
    el(
      "table",
      { class: "rows" },
      el("caption", { class: "unseen" }, "Schedule"),
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...rows),
    ),
    facts(
      ["Matches", `${count(preview.matches)} at most`],
      ["A match", preview.match_seconds === null ? "unknown" : duration(preview.match_seconds)],
      ["Processor time", preview.cpu_seconds === null ? "unknown" : duration(preview.cpu_seconds)],
      ["Takes", timeOf(preview)],
      ["Share of the queue", `${Math.round(100 * preview.share)} % beside what waits now`],
      ["Storage", preview.storage_bytes === null ? "unknown" : bytes(preview.storage_bytes)],
    ),
    el("p", { class: "quiet small" }, `${preview.basis}.`),
  );
}

function timeOf({ days, workers, cpu_seconds }: SeasonPreview): string {
  if (workers === 0) return "no worker is connected";
  if (days === null || cpu_seconds === null) return `unknown, with ${counted(workers, "worker")}`;
  const text = days >= 2 ? `${days.toFixed(1)} days` : duration(days * 86_400);
  return `${text} with ${counted(workers, "worker")}`;
}
