import { el } from "../../ui/dom";
import type { AdminSeason } from "../api-types";
import { to } from "../router";
import { act, chip, link, time } from "./bits";
import { LiveTable } from "./table";

/** Every version of every season; the last one can be edited and take steps of its life. */
export function seasonTable(change: (row: AdminSeason) => void): LiveTable<AdminSeason> {
  return new LiveTable<AdminSeason>(
    "Seasons",
    [
      {
        title: "Season",
        kind: "name",
        cell: (row) => [
          link(to.season(`${row.name}:v${row.version}`), row.display_name),
          el("span", { class: "mono small quiet" }, ` ${row.name}:v${row.version}`),
        ],
      },
      {
        title: "State",
        cell: (row) => [
          chip(row.life === "closed" ? "out" : row.life === "ended" ? "complete" : row.life, row.life),
          row.canonical ? null : chip("plain", "older"),
          row.public ? null : chip("out", "private"),
        ],
      },
      { title: "Kind", from: "desktop", cell: (row) => row.tournament_type },
      { title: "Created", from: "tablet", cell: (row) => time(row.created_at) },
      { title: "", cell: (row) => (row.canonical ? el("span", { class: "actions" }, ...actionsOf(row, change)) : "") },
    ],
    (row) => row.id,
  );
}

function actionsOf(row: AdminSeason, change: (row: AdminSeason) => void): HTMLElement[] {
  const label = row.life === "draft" ? "Open" : "Change state";
  const step = act(`${label} …`, () => change(row));
  step.setAttribute("aria-label", `${label} ${row.name}`);
  const edit = el("a", { class: "button bordered", attrs: { href: to.manage("seasons", row.name) } }, "Edit");
  edit.setAttribute("aria-label", `Edit ${row.name}`);
  return [edit, step];
}
