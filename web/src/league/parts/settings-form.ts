import { type Child, el, renew } from "../../ui/dom";
import { RequestError } from "../api";
import type { LeagueSettingsForm, SettingsField } from "../api-types";
import { type Document, edited, isShown, keyOf, parseField, valueAt } from "../settings";
import type { Site } from "../view";
import { act, loading, Part, problem } from "./bits";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * The settings of a league as a form. An empty field means the default. Saving names the revision that the form was
 * made from: if others have saved meanwhile, their settings are loaded, the edits of this form stay, and nothing is lost.
 */
export class SettingsForm {
  readonly element: HTMLElement;
  private readonly part = new Part("Settings");
  private readonly answer = el("div", { attrs: { role: "status" } });
  private readonly groups = el("div", { class: "column" });
  private readonly save = act("Save settings", () => void this.send(), "is-main");
  private readonly forget = act("Discard changes", () => void this.load());
  private form: LeagueSettingsForm | null = null;
  private readonly edits = new Map<string, string>();
  private isOpen = false;

  constructor(
    private readonly site: Site,
    private readonly league: string,
    private readonly saved: () => void,
  ) {
    this.element = this.part.element;
    this.part.body.append(
      el(
        "p",
        { class: "quiet small" },
        "How the server plays this league. An empty field means the default. A round that has begun keeps its settings.",
      ),
      this.groups,
      el("p", { class: "actions" }, this.save, this.forget),
      this.answer,
    );
  }

  show(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    renew(this.groups, loading());
    void this.load();
  }

  private async load(keepEdits = false): Promise<void> {
    try {
      this.form = await this.site.api.get("/observatory/api/leagues/{league_id}/settings-form", {
        league_id: this.league,
      });
      if (!keepEdits) {
        this.edits.clear();
        renew(this.answer);
      }
      this.draw();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  /** The stored document with all edits that can be parsed. */
  private document(form: LeagueSettingsForm): Document {
    const changes: [SettingsField, unknown][] = [];
    for (const field of form.fields) {
      const text = this.edits.get(keyOf(field));
      if (text !== undefined) changes.push([field, parsed(field, text)]);
    }
    return edited(form.fields, form.settings, changes);
  }

  private draw(): void {
    const { form } = this;
    if (!form) return;
    let shown: Document;
    try {
      shown = this.document(form);
    } catch {
      shown = form.settings; // a field does not parse yet; `send` says which
    }
    const focused = document.activeElement?.id ?? "";
    const groups = new Map<string, Child[]>();
    for (const field of form.fields) {
      if (!isShown(form.fields, shown, field)) continue;
      const lines = groups.get(field.group) ?? [];
      lines.push(this.line(field, shown));
      groups.set(field.group, lines);
    }
    this.groups.replaceChildren(
      ...[...groups].map(([title, lines], i) =>
        el("details", { class: "settings-group", attrs: { open: i < 3 } }, el("summary", {}, title), ...lines),
      ),
    );
    const again = focused ? document.getElementById(focused) : null;
    again?.focus();
  }

  private line(field: SettingsField, shown: Document): HTMLElement {
    const id = `setting-${keyOf(field).replace(/[^\w-]/g, "-")}`;
    const stored = valueAt(shown, field.path);
    const edit = this.edits.get(keyOf(field));
    const text = edit ?? textOf(stored);
    const control = controlOf(field, id, text);
    control.addEventListener("change", () => {
      this.edits.set(keyOf(field), control.value);
      if (field.choices?.length || field.kind === "boolean") this.draw();
      control.closest(".setting")?.classList.add("is-edited");
    });
    return el(
      "p",
      { class: `setting${edit === undefined ? "" : " is-edited"}` },
      el("label", { attrs: { for: id } }, field.title),
      control,
      el("span", { class: "small quiet", id: `${id}-about` }, aboutOf(field)),
    );
  }

  private async send(): Promise<void> {
    const { form } = this;
    if (!form) return;
    this.save.disabled = true;
    try {
      const body = this.document(form);
      const headers = { "If-Match": `"${form.revision}"` };
      await this.site.api.post("/v2/leagues/{league_id}/settings", { league_id: this.league }, body, headers);
      this.site.say("Saved");
      await this.load();
      renew(this.answer, el("p", { class: "message" }, "The settings were saved."));
      this.saved();
    } catch (error) {
      if (error instanceof RequestError && error.status === 409) {
        await this.load(true);
        const text =
          "Others have changed the settings meanwhile. Their changes are loaded, yours are still here: check both and save again.";
        renew(this.answer, problem(new Error(text)));
      } else renew(this.answer, problem(error as Error));
    } finally {
      this.save.disabled = false;
    }
  }
}

function parsed(field: SettingsField, text: string): unknown {
  if (field.kind === "boolean") return text === "" ? undefined : text === "true";
  return parseField(field, text);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function controlOf(field: SettingsField, id: string, text: string): Control {
  const attrs = { "aria-describedby": `${id}-about`, autocomplete: "off" };
  const choices = field.kind === "boolean" ? ["true", "false"] : (field.choices ?? []);
  if (choices.length) {
    const words = (choice: string) => (field.kind === "boolean" ? (choice === "true" ? "yes" : "no") : choice);
    const byDefault = field.default === null ? "default" : `default: ${words(String(field.default))}`;
    const select = el(
      "select",
      { class: "field", id, attrs },
      el("option", { attrs: { value: "" } }, byDefault),
      ...choices.map((choice) => el("option", { attrs: { value: choice } }, words(choice))),
    );
    select.value = text;
    return select;
  }
  const placeholder = field.required ? "required" : textOf(field.default) || "none";
  const control =
    field.kind === "json"
      ? el("textarea", { class: "field code", id, attrs: { ...attrs, rows: 2, placeholder, spellcheck: false } })
      : el("input", {
          class: "field",
          id,
          attrs: { ...attrs, type: "text", placeholder, inputmode: field.kind === "text" ? "text" : "decimal" },
        });
  control.value = text;
  return control;
}

function aboutOf(field: SettingsField): string {
  const { minimum, maximum } = field;
  const range = typeof minimum === "number" && typeof maximum === "number" ? `${minimum} to ${maximum}` : "";
  return [field.about.replaceAll("`", ""), range].filter(Boolean).join("; ");
}
