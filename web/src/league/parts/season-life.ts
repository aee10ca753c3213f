import { el } from "../../ui/dom";
import type { AdminSeason, LifeStep, SeasonChanged } from "../api-types";
import type { Site } from "../view";
import { act } from "./bits";
import { confirmed } from "./confirm";

const PATH = "/observatory/api/admin/seasons";

/** Ask which step a season should take; each names its consequences. Return what it did; null if nothing. */
export async function takeStep(site: Site, row: AdminSeason): Promise<SeasonChanged | null> {
  const words = { season: `${row.name}:v${row.version}` };
  const life = await site.api.get(`${PATH}/{season}/life`, words);
  const step = await chooseStep(`${row.display_name} is ${life.life === "draft" ? "a draft" : life.life}`, life.steps);
  if (!step) return null;
  const reason = await confirmed({
    title: `${step.title} ${row.display_name}?`,
    text: step.can_undo ? "This happens now:" : "This happens now, and it cannot be undone:",
    list: step.can_undo ? [...step.consequences, `It can be undone: ${lower(step.undo)}`] : step.consequences,
    action: step.title,
    reason:
      step.action === "close" || step.action === "end" ? "Reason, shown with cancelled matches (optional)" : undefined,
  });
  if (reason === null) return null;
  switch (step.action) {
    case "close":
    case "end":
      return site.api.post(`${PATH}/{season}/close`, words, { final: step.action === "end", reason });
    case "reopen":
      return site.api.post(`${PATH}/{season}/open`, words);
    default:
      return site.api.post(`${PATH}/{season}/${step.action}`, words);
  }
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function chooseStep(title: string, steps: readonly LifeStep[]): Promise<LifeStep | null> {
  return new Promise((resolve) => {
    let chosen: LifeStep | null = null;
    const dialog = el(
      "dialog",
      { class: "panel confirm", attrs: { "aria-labelledby": "life-title" } },
      el("h2", { id: "life-title" }, title),
    );
    const choices = steps.map((step) => {
      const button = act(step.title, () => {
        chosen = step;
        dialog.close();
      });
      return el("li", {}, button, el("span", { class: "small quiet" }, step.consequences[0] ?? ""));
    });
    dialog.append(
      steps.length ? el("ul", { class: "plain-list" }, ...choices) : el("p", {}, "An older version does not change."),
      el(
        "p",
        { class: "actions" },
        act("Cancel", () => dialog.close()),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
