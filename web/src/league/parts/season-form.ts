import { el } from "../../ui/dom";
import type { FieldProblem, SeasonForm as FormDescription, FormField } from "../api-types";
import {
  fieldValue,
  problemsOf,
  readText,
  type SeasonDocument,
  textOf,
  typeOf,
  withField,
  withType,
} from "../season-document";
import { FIRST_STAGES, SeasonStages, type StageDocument } from "./season-stages";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Line {
  field: FormField;
  element: HTMLElement;
  control: Control | null;
  stages: SeasonStages | null;
  problem: HTMLElement;
}

/** The settings of a season as fields in groups. Controls stay the same elements, so that the keyboard keeps its place. */
export class SeasonForm {
  readonly element = el("div", { class: "column" });
  private readonly lines: Line[];
  private readonly general = el("p", { class: "problem", attrs: { role: "alert", hidden: true } });
  private document: SeasonDocument = {};

  constructor(
    description: FormDescription,
    private readonly isNew: boolean,
    private readonly changed: (document: SeasonDocument) => void,
  ) {
    this.lines = description.fields.map((field) => this.line(field));
    const groups = new Map<string, HTMLElement>();
    this.element.append(this.general);
    for (const line of this.lines) {
      let group = groups.get(line.field.group);
      if (!group) {
        group = el("details", { class: "settings-group", attrs: { open: true } }, el("summary", {}, line.field.group));
        groups.set(line.field.group, group);
        this.element.append(group);
      }
      group.append(line.element);
    }
  }

  /** Show a document; the field in which the user types is left alone. */
  update(document: SeasonDocument): void {
    this.document = document;
    for (const { field, element, control, stages } of this.lines) {
      element.hidden = Boolean(field.only) && field.only !== typeOf(document);
      const value = fieldValue(document, field);
      if (stages) stages.update((Array.isArray(value) ? value : []) as StageDocument[]);
      if (control && control !== window.document.activeElement) control.value = shown(field, value);
    }
    for (const group of this.element.querySelectorAll<HTMLElement>("details"))
      group.hidden = [...group.querySelectorAll<HTMLElement>(":scope > .setting")].every((line) => line.hidden);
  }

  /** Show each problem at its field, and the others above the form. */
  showProblems(problems: readonly FieldProblem[]): void {
    const left = new Set(problems);
    for (const { field, element, control, problem } of this.lines) {
      const own = element.hidden ? [] : problemsOf(this.document, field, problems);
      for (const found of own) left.delete(found);
      problem.textContent = own.map(({ message }) => message).join("; ");
      problem.hidden = own.length === 0;
      control?.setAttribute("aria-invalid", String(own.length > 0));
    }
    this.general.textContent = [...left]
      .map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
      .join("; ");
    this.general.hidden = left.size === 0;
  }

  private edit(field: FormField, value: unknown): void {
    this.document =
      field.path[0] === "tournament_type"
        ? withType(this.document, value === "team" ? "team" : "freeplay", FIRST_STAGES)
        : withField(this.document, field, value);
    if (field.path[0] === "tournament_type") this.update(this.document);
    this.changed(this.document);
  }

  private line(field: FormField): Line {
    const id = `season-${field.path.join("-")}`;
    const problem = el("span", { class: "bad small", id: `${id}-problem`, attrs: { hidden: true } });
    const about = el("span", { class: "small quiet", id: `${id}-about` }, aboutOf(field));
    if (field.kind === "stages") {
      const stages = new SeasonStages(id, (list) => this.edit(field, list));
      const element = el("div", { class: "setting is-wide" }, about, problem, stages.element);
      return { field, element, control: null, stages, problem };
    }
    const control = controlOf(field, id, this.isNew);
    control.addEventListener("input", () => this.edit(field, readText(field, control.value)));
    const element = el(
      "p",
      { class: "setting" },
      el("label", { attrs: { for: id } }, field.title),
      control,
      el("span", { class: "setting-notes" }, problem, about),
    );
    return { field, element, control, stages: null, problem };
  }
}

function shown(field: FormField, value: unknown): string {
  const text = textOf(field, value);
  return text === "" && (field.kind === "boolean" || field.kind === "choice") ? String(field.default ?? "") : text;
}

function controlOf(field: FormField, id: string, isNew: boolean): Control {
  const attrs = { "aria-describedby": `${id}-problem ${id}-about`, autocomplete: "off" };
  const choices = field.kind === "boolean" ? ["true", "false"] : (field.choices ?? []);
  if (field.kind === "boolean" || field.kind === "choice") {
    const words: Record<string, string> = { true: "yes", false: "no" };
    const options = choices.map((choice) => el("option", { attrs: { value: choice } }, words[choice] ?? choice));
    return el("select", { class: "field", id, attrs }, ...options);
  }
  const placeholder = field.default === null || field.default === undefined ? "" : String(field.default);
  if (field.kind === "long") return el("textarea", { class: "field", id, attrs: { ...attrs, rows: 5, placeholder } });
  const isNumber = field.kind === "integer" || field.kind === "number";
  const isFixed = !isNew && field.path[0] === "name";
  const input = { ...attrs, type: "text", placeholder, inputmode: isNumber ? "decimal" : "text", readonly: isFixed };
  return el("input", { class: "field", id, attrs: { ...input, "aria-required": Boolean(field.required) } });
}

function aboutOf(field: FormField): string {
  const { minimum, maximum } = field;
  const range = typeof minimum === "number" && typeof maximum === "number" ? `${minimum} to ${maximum}` : "";
  return [field.about.replaceAll("`", ""), range].filter(Boolean).join("; ");
}
