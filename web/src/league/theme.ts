/** Dark or light: as the system says, or as the reader chose here or in the viewer, which keeps it in the same place. */
const KEY = "mettascope";

function kept(): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function showTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = kept();
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
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...kept(), theme }));
  } catch {
    // Nowhere to keep it; it holds for this page.
  }
}
