import { el } from "../../ui/dom";
import type { AdminWorker } from "../api-types";
import { to } from "../router";
import { act, chip, link, time } from "./bits";
import { LiveTable } from "./table";

/** Workers with their labels, what they run, and whether they get jobs. */
export function workerTable(change: (row: AdminWorker) => void): LiveTable<AdminWorker> {
  return new LiveTable<AdminWorker>(
    "Workers",
    [
      {
        title: "Worker",
        kind: "name",
        cell: (row) => [
          el("span", { class: "mono" }, row.name),
          ...row.labels.map((label) => chip("plain", label)),
          row.drained_at ? chip("out", row.job_id ? "draining" : "drained") : null,
          row.unable ? el("span", { class: "quiet" }, `takes no jobs: ${row.unable}`) : null,
        ],
      },
      { title: "Machine", from: "tablet", cell: (row) => capacity(row) },
      { title: "Last seen", cell: (row) => time(row.last_seen_at) },
      {
        title: "Runs",
        cell: (row) => (row.match_id ? link(to.match(row.match_id), "a match") : row.job_id ? "a job" : "nothing"),
      },
      { title: "Since", from: "tablet", cell: (row) => time(row.since) },
      {
        title: "",
        cell: (row) => {
          const button = act(row.drained_at ? "Resume" : "Drain …", () => change(row));
          button.setAttribute("aria-label", `${row.drained_at ? "Resume" : "Drain"} ${row.name}`);
          return button;
        },
      },
    ],
    (row) => row.name,
  );
}

/** What the worker's machine has: processors, graphics cards, memory. */
function capacity(row: AdminWorker): string {
  const parts = [
    row.cpus === null ? "" : `${row.cpus} CPU`,
    row.gpus ? `${row.gpus} GPU` : "",
    row.memory_mb === null ? "" : `${Math.round(row.memory_mb / 1024)} GB`,
  ];
  return parts.filter(Boolean).join(", ");
}
