import { el, renew } from "../../ui/dom";
import { to } from "../router";
import type { Site } from "../view";
import { act, link, problem } from "./bits";

const PATH = "/observatory/api/admin/seasons";
const CHECK_AFTER = 500;

const EXAMPLE = `name: my-season
display_name: My season
summary: One sentence about it
tournament_type: freeplay
compat_version: "0.26"
game_description: |
  ## Rules
  What is played, in **Markdown**.
freeplay:
  game:
    mission: arena
    num_agents: 4
  splits: [[2, 2], [1, 3], [3, 1]]
`;

/** An editor for a season as YAML: validated while the user types, saved when valid. */
export class SeasonEditor {
  readonly element = el("section", { class: "panel" });
  private readonly text = el("textarea", {
    class: "field code",
    id: "yaml",
    attrs: { rows: 24, spellcheck: false, autocomplete: "off", "aria-describedby": "yaml-check" },
  });
  private readonly check = el("p", { id: "yaml-check", attrs: { role: "status" } });
  private readonly answer = el("div");
  private readonly save = act("Save", () => void this.send(), "is-main");
  private timer = 0;
  private asked = 0;

  constructor(
    private readonly site: Site,
    private readonly season: string | null,
    private readonly tell: (text: string) => void,
  ) {
    this.save.disabled = true;
    this.text.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.look(), CHECK_AFTER);
    });
    const title = season ? `Season ${season}` : "New season";
    const what = "Changes to texts apply in place; changes to the game create a new version and end the current one.";
    this.element.append(
      el("h2", {}, title),
      el("p", { class: "quiet small" }, season ? what : "Describe the season in YAML; it is checked while you type."),
      el("label", { attrs: { for: "yaml" } }, "YAML"),
      this.text,
      this.check,
      el("p", { class: "actions" }, this.save, link(to.manage("seasons"), "Back to all seasons")),
      this.answer,
    );
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      this.text.value = this.season
        ? (await this.site.api.get(`${PATH}/{season}/yaml`, { season: this.season })).yaml
        : EXAMPLE;
      await this.look();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private async look(): Promise<void> {
    const number = ++this.asked;
    try {
      const verdict = await this.site.api.post(`${PATH}/check`, {}, { yaml: this.text.value });
      if (number !== this.asked) return;
      this.check.className = verdict.good ? "good" : "bad";
      this.check.textContent = verdict.sentence;
      this.save.disabled = !verdict.good;
    } catch (error) {
      if (number === this.asked) renew(this.answer, problem(error as Error));
    }
  }

  private async send(): Promise<void> {
    this.save.disabled = true;
    try {
      const { api } = this.site;
      const body = { yaml: this.text.value };
      const changed = this.season
        ? await api.put(`${PATH}/{season}/yaml`, { season: this.season }, body)
        : await api.post(PATH, {}, body);
      this.tell(changed.sentence);
      if (!this.season) this.site.go(to.manage("seasons", changed.name));
      else await this.look();
    } catch (error) {
      renew(this.answer, problem(error as Error));
      this.save.disabled = false;
    }
  }
}
