import { el, renew } from "../../ui/dom";
import type { SeasonFormChecked } from "../api-types";
import { to } from "../router";
import type { SeasonDocument } from "../season-document";
import type { Site } from "../view";
import { act, link, loading, problem } from "./bits";
import { SeasonForm } from "./season-form";
import { previewOf } from "./season-preview";

const PATH = "/observatory/api/admin/seasons";
const CHECK_AFTER = 500;

type Tab = "form" | "yaml";

/**
 * An editor for a season: a form, and its YAML one tab away. The server reads both with the same code. While only the
 * YAML is edited, it is saved as it was written, with its comments.
 */
export class SeasonEditor {
  readonly element = el("section", { class: "panel" });
  private readonly text = el("textarea", {
    class: "field code",
    id: "yaml",
    attrs: { rows: 24, spellcheck: false, autocomplete: "off", "aria-describedby": "season-check" },
  });
  private readonly tabs: Record<Tab, HTMLButtonElement> = {
    form: this.tab("form", "Form"),
    yaml: this.tab("yaml", "YAML"),
  };
  private readonly panes: Record<Tab, HTMLElement> = { form: this.pane("form"), yaml: this.pane("yaml") };
  private readonly comments = el(
    "p",
    { class: "message", attrs: { hidden: true } },
    "The YAML has comments. Saving from the form writes it again without them; edit the YAML to keep them.",
  );
  private readonly check = el("p", { id: "season-check", attrs: { role: "status" } });
  private readonly policies = el("input", {
    class: "field",
    id: "preview-policies",
    attrs: { type: "number", min: 1, max: 10000, value: 10 },
  });
  private readonly preview = el("div");
  private readonly answer = el("div");
  private readonly save: HTMLButtonElement;
  private form: SeasonForm | null = null;
  private edited: Tab = "yaml";
  private document: SeasonDocument | null = null;
  private timer = 0;
  private asked = 0;

  constructor(
    private readonly site: Site,
    private readonly season: string | null,
    private readonly tell: (text: string) => void,
  ) {
    this.save = act(season ? "Save" : "Save draft", () => void this.send(), "is-main");
    this.save.disabled = true;
    this.text.addEventListener("input", () => this.typed("yaml"));
    this.policies.addEventListener("input", () => this.later());
    const what = season
      ? "Changes to texts apply in place; changes to the game create a new version and end the current one. A draft changes in place."
      : "A new season begins as a draft, which only administrators see. It takes policies when it is opened.";
    const tabs = el("div", { class: "tabs", attrs: { role: "tablist", "aria-label": "Season as" } });
    tabs.append(this.tabs.form, this.tabs.yaml);
    this.panes.yaml.append(el("label", { attrs: { for: "yaml" } }, "YAML"), this.text);
    this.panes.form.append(loading());
    this.element.append(
      el("h2", {}, season ? `Season ${season}` : "New season"),
      el("p", { class: "quiet small" }, what),
      tabs,
      this.comments,
      this.panes.form,
      this.panes.yaml,
      this.check,
      el("h3", {}, "Preview"),
      el(
        "p",
        { class: "setting" },
        el("label", { attrs: { for: "preview-policies" } }, "Policies that enter"),
        this.policies,
      ),
      this.preview,
      el("p", { class: "actions" }, this.save, link(to.manage("seasons"), "Back to all seasons")),
      this.answer,
    );
    this.open("form");
    void this.load();
  }

  private tab(name: Tab, title: string): HTMLButtonElement {
    const attrs = { type: "button", role: "tab", "aria-controls": `season-${name}`, id: `season-tab-${name}` };
    const button = el("button", { class: "button", attrs }, title);
    button.addEventListener("click", () => this.open(name));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = name === "form" ? "yaml" : "form";
      this.open(other);
      this.tabs[other].focus();
    });
    return button;
  }

  private pane(name: Tab): HTMLElement {
    const attrs = { role: "tabpanel", "aria-labelledby": `season-tab-${name}` };
    return el("div", { class: "column", id: `season-${name}`, attrs });
  }

  private open(tab: Tab): void {
    for (const name of ["form", "yaml"] as const) {
      const isOpen = name === tab;
      this.panes[name].hidden = !isOpen;
      this.tabs[name].setAttribute("aria-selected", String(isOpen));
      this.tabs[name].tabIndex = isOpen ? 0 : -1;
    }
    this.showComments();
  }

  private showComments(): void {
    const hasComments = /^\s*#|\s#\s/m.test(this.text.value);
    this.comments.hidden = this.panes.form.hidden || this.edited === "form" || !hasComments;
  }

  private async load(): Promise<void> {
    const { api } = this.site;
    try {
      const description = await api.get(`${PATH}/form`, {});
      this.form = new SeasonForm(description, this.season === null, (document) => {
        this.document = document;
        this.typed("form");
      });
      if (this.season) {
        this.text.value = (await api.get(`${PATH}/{season}/yaml`, { season: this.season })).yaml;
      } else {
        this.edited = "form";
        this.document = description.document;
        this.form.update(this.document);
      }
      await this.look(this.season !== null);
      this.panes.form.replaceChildren(this.form.element);
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private typed(tab: Tab): void {
    this.edited = tab;
    this.save.disabled = true;
    this.showComments();
    this.later();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.look(), CHECK_AFTER);
  }

  private async look(showProblems = true): Promise<void> {
    const number = ++this.asked;
    const policies = Math.min(10_000, Math.max(1, Math.round(Number(this.policies.value) || 1)));
    const body =
      this.edited === "form" ? { document: this.document ?? {}, policies } : { yaml: this.text.value, policies };
    try {
      const checked = await this.site.api.post(`${PATH}/preview`, {}, body);
      if (number === this.asked) this.show(checked, showProblems);
    } catch (error) {
      if (number === this.asked) renew(this.answer, problem(error as Error));
    }
  }

  private show(checked: SeasonFormChecked, showProblems: boolean): void {
    renew(this.answer);
    if (this.edited === "form") this.text.value = checked.yaml;
    else if (checked.document) {
      this.document = checked.document;
      this.form?.update(checked.document);
    }
    this.form?.showProblems(showProblems ? checked.problems : []);
    const list = checked.problems.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
    this.check.className = checked.good ? "good" : showProblems ? "bad" : "quiet";
    this.check.textContent = checked.good
      ? checked.sentence
      : showProblems
        ? `${checked.sentence}: ${list.slice(0, 3).join("; ")}`
        : "Fill in the name, the title and the summary.";
    this.save.disabled = !checked.good;
    renew(
      this.preview,
      checked.preview
        ? previewOf(checked.preview)
        : el("p", { class: "quiet" }, "Shown when the season has no problems."),
    );
    this.showComments();
  }

  private async send(): Promise<void> {
    this.save.disabled = true;
    try {
      const { api } = this.site;
      const changed = this.season
        ? await api.put(`${PATH}/{season}/yaml`, { season: this.season }, { yaml: this.text.value })
        : await api.post(PATH, {}, { yaml: this.text.value, draft: true });
      if (!this.season) this.site.go(to.manage("seasons"));
      else await this.look();
      this.tell(changed.sentence);
    } catch (error) {
      renew(this.answer, problem(error as Error));
      this.save.disabled = false;
    }
  }
}
