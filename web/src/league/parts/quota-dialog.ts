import { el } from "../../ui/dom";
import type { UserLine, UsersPage } from "../api-types";
import { bytes, count } from "../format";
import { act } from "./bits";

const GIGABYTE = 1024 ** 3;

export interface QuotaLimits {
  max_stored_bytes: number | null;
  max_uploads_per_day: number | null;
}

/** Asks for the limits of a user. An empty field means the server's limit. */
export class QuotaDialog {
  constructor(
    private readonly row: UserLine,
    private readonly page: UsersPage,
  ) {}

  /** Return the limits; null if nothing should change. */
  ask(): Promise<QuotaLimits | null> {
    const { quota, user } = this.row;
    const stored = field("quota-stored", quota.max_stored_bytes === null ? "" : quota.max_stored_bytes / GIGABYTE);
    const uploads = field("quota-uploads", quota.max_uploads_per_day ?? "");
    const { default_max_stored_bytes: most, default_max_uploads_per_day: often } = this.page;
    return new Promise((resolve) => {
      let limits: QuotaLimits | null = null;
      const save = el("button", { class: "button solid", attrs: { type: "submit" } }, "Save");
      const form = el(
        "form",
        { class: "column" },
        line("quota-stored", "Storage, GB", stored, `uses ${bytes(quota.stored_bytes)}; empty: ${bytes(most)}`),
        line("quota-uploads", "Uploads a day", uploads, `began ${count(quota.uploads_today)}; empty: ${count(often)}`),
      );
      const dialog = el(
        "dialog",
        { class: "panel confirm", attrs: { "aria-labelledby": "quota-title" } },
        el("h2", { id: "quota-title" }, `Quota of ${user.email}`),
        form,
      );
      form.append(
        el(
          "p",
          { class: "actions" },
          save,
          act("Cancel", () => dialog.close()),
        ),
      );
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const [size, number] = [read(stored), read(uploads)];
        limits = {
          max_stored_bytes: size === null ? null : Math.round(size * GIGABYTE),
          max_uploads_per_day: number === null ? null : Math.round(number),
        };
        dialog.close();
      });
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(limits);
      });
      document.body.append(dialog);
      dialog.showModal();
    });
  }
}

function read(control: HTMLInputElement): number | null {
  const value = Number(control.value);
  return control.value.trim() === "" || !Number.isFinite(value) ? null : Math.max(0, value);
}

function field(id: string, value: number | string): HTMLInputElement {
  return el("input", { class: "field", id, attrs: { type: "number", min: 0, step: "any", value } });
}

function line(id: string, title: string, control: HTMLElement, about: string): HTMLElement {
  return el(
    "p",
    { class: "setting" },
    el("label", { attrs: { for: id } }, title),
    control,
    el("span", { class: "small quiet" }, about),
  );
}
