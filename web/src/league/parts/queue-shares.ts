import { el } from "../../ui/dom";
import type { QueueShareLine } from "../api-types";
import { count, duration } from "../format";
import { link, name } from "./bits";
import { LiveTable } from "./table";

/** The seasons, leagues and kinds of jobs that share the workers now, the next one first. */
export function sharesTable(): LiveTable<QueueShareLine> {
  return new LiveTable<QueueShareLine>(
    "Shares of the workers' time",
    [
      { title: "Share of", kind: "name", cell: (row) => (row.url ? link(row.url, name(row.title)) : name(row.title)) },
      {
        title: "Share",
        kind: "number",
        about: "its part of the workers' time while all of these wait, by weight",
        cell: (row) => `${Math.round(100 * row.share)} %`,
      },
      { title: "Weight", kind: "number", from: "desktop", cell: (row) => String(row.weight) },
      { title: "Waiting", kind: "number", cell: (row) => count(row.waiting) },
      { title: "Running", kind: "number", from: "tablet", cell: (row) => count(row.running) },
      { title: "Turn", cell: turn },
    ],
    (row) => row.url ?? row.title,
  );
}

function turn(row: QueueShareLine): HTMLElement {
  const seconds = Math.round(row.ahead_seconds);
  if (seconds <= 0) return el("strong", {}, "next");
  const about = "how much more of the workers' time it has had than the next one, for its weight";
  return el("span", { title: about }, `${duration(seconds)} ahead`);
}
