import { el, renew } from "../../ui/dom";
import { words } from "../format";
import { act } from "./bits";

export type StageDocument = Record<string, unknown> & { kind: string };

interface Setting {
  key: string;
  title: string;
  value: number | null;
  step?: string;
}

/** The numbers of each kind of stage, and what a new stage has; null for one that may be left out. */
const SETTINGS: Record<string, Setting[]> = {
  policy_eval: [
    { key: "policies_per_team", title: "Policies in a match", value: 1 },
    { key: "matches_per_combo", title: "Matches of a combination", value: 10 },
    { key: "min_policies", title: "Fewest policies", value: null },
    { key: "max_matches_per_policy", title: "Most matches of a policy", value: null },
  ],
  sample_teams: [
    { key: "team_size", title: "Policies in a team", value: 4 },
    { key: "num_teams", title: "Teams", value: 50 },
    { key: "min_per_policy", title: "Fewest teams of a policy", value: null },
  ],
  team_eval: [
    { key: "matches_per_team", title: "Matches of a team", value: 10 },
    { key: "cull_fraction", title: "Part of the teams that is out", value: 0.5, step: "any" },
  ],
  score_policies: [{ key: "top_k", title: "Best teams that count", value: 3 }],
};
const ORDER = Object.keys(SETTINGS);

export const FIRST_STAGES: StageDocument[] = ORDER.map(newStage);

function newStage(kind: string): StageDocument {
  const values = SETTINGS[kind].filter(({ value }) => value !== null).map(({ key, value }) => [key, value]);
  return { kind, ...Object.fromEntries(values) } as StageDocument;
}

/** The stages of a team season, each with its numbers. Other settings of a stage, such as `elim`, stay as they are. */
export class SeasonStages {
  readonly element = el("div", { class: "column" });
  private stages: StageDocument[] = [];

  constructor(
    private readonly id: string,
    private readonly changed: (stages: StageDocument[]) => void,
  ) {}

  update(stages: readonly StageDocument[]): void {
    if (JSON.stringify(stages) === JSON.stringify(this.stages)) return;
    this.stages = stages.map((stage) => ({ ...stage }));
    this.draw();
  }

  private draw(): void {
    const adders = ["policy_eval", "team_eval"].map((kind) => act(`Add ${words(kind)}`, () => this.add(kind)));
    this.element.replaceChildren(...this.stages.map((stage, i) => this.line(stage, i)));
    this.element.append(el("p", { class: "actions" }, ...adders));
  }

  private line(stage: StageDocument, place: number): HTMLElement {
    const lines = (SETTINGS[stage.kind] ?? []).map((setting) => {
      const id = `${this.id}-${place}-${setting.key}`;
      const value = stage[setting.key];
      const input = el("input", {
        class: "field",
        id,
        attrs: { type: "number", min: 0, step: setting.step ?? 1, placeholder: setting.value === null ? "none" : "" },
      });
      input.value = typeof value === "number" ? String(value) : "";
      input.addEventListener("input", () => {
        if (input.value === "") delete stage[setting.key];
        else stage[setting.key] = Number(input.value);
        this.changed(this.stages);
      });
      return el("p", { class: "setting" }, el("label", { attrs: { for: id } }, setting.title), input);
    });
    const group = el("fieldset", { class: "stage-fields" }, el("legend", {}, `${place + 1}. ${words(stage.kind)}`));
    group.append(...lines);
    if (stage.elim) renewNote(group, "Its rule of elimination is kept; change it in the YAML.");
    const isRemovable = this.stages.filter(({ kind }) => kind === stage.kind).length > 1 || stage.kind === "team_eval";
    if (isRemovable) {
      const remove = act("Remove this stage", () => this.remove(place), "", `remove ${place}`);
      remove.setAttribute("aria-label", `Remove stage ${place + 1}, ${words(stage.kind)}`);
      group.append(remove);
    }
    return group;
  }

  private add(kind: string): void {
    const before = ORDER.slice(0, ORDER.indexOf(kind) + 1);
    const place = this.stages.filter((stage) => before.includes(stage.kind)).length;
    this.stages.splice(place, 0, newStage(kind));
    this.draw();
    this.changed(this.stages);
  }

  private remove(place: number): void {
    this.stages.splice(place, 1);
    this.draw();
    this.changed(this.stages);
  }
}

function renewNote(group: HTMLElement, text: string): void {
  const note = el("p", { class: "quiet small" });
  renew(note, text);
  group.append(note);
}
