/** Dark or light: the system's setting, or the user's choice, which the viewer shares through the same storage key. */
const KEY = "mettascope";

/** Return the stored settings; {} if there are none. */
export function storedSettings(): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return typeof stored === "object" && stored !== null ? (stored as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function showTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = storedSettings();
    const chosen = theme === "dark" || theme === "light" ? theme : dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = chosen;
  };
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
  apply();
}

export function nextTheme(): void {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  storeSettings({ theme });
}

/** Change stored settings. Without storage the choice lasts for this page only. */
export function storeSettings(changes: Record<string, unknown>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...storedSettings(), ...changes }));
  } catch {
    // as said above
  }
}
