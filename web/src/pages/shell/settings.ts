import type { App } from "../app";

const KEY = "mettascope";

/** the settings as last read or written here */
let known: Record<string, unknown> = {};

/** Restore the settings from the browser's storage. */
export function restoreSettings(app: App): void {
  try {
    app.restore(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    // An embedded page, or one from disk, may have no storage.
  }
  known = { ...app.save() };
}

/** Save the settings that have changed in the browser's storage. Others may have been changed by another page meanwhile. */
export function saveSettings(app: App): void {
  const settings: Record<string, unknown> = { ...app.save() };
  const changed = Object.entries(settings).filter(([name, value]) => !isSame(value, known[name]));
  known = settings;
  if (!changed.length) return;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    const others = typeof stored === "object" ? stored : null;
    localStorage.setItem(KEY, JSON.stringify({ ...others, ...Object.fromEntries(changed) }));
  } catch {
    // as above
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Apply the theme and palette; return whether the colours changed. */
export function applyTheme(app: App): boolean {
  const { dataset } = document.documentElement;
  const look = `${app.themeNow.name}/${app.palette}`;
  if (dataset.look === look) return false;
  dataset.look = look;
  dataset.theme = app.themeNow.name;
  return true;
}

/** Update the page when the system switches between dark and light. */
export function followSystemTheme(app: App): void {
  globalThis.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", () => app.changed("settings"));
}
