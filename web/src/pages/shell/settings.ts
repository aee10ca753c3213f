import type { App } from "../app";

const KEY = "mettascope";

/** Restore the settings from the browser's storage. */
export function restoreSettings(app: App): void {
  try {
    app.restore(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    // An embedded page, or one from disk, may have no storage.
  }
}

/** Save the settings in the browser's storage. */
export function saveSettings(app: App): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(app.save()));
  } catch {
    // as above
  }
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
