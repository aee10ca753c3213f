/** Close all open menus; return whether there were any. */
export function closeMenus(root: HTMLElement): boolean {
  const menus = openMenus(root);
  for (const menu of menus) menu.open = false;
  return menus.length > 0;
}

/** Close a menu when the user clicks outside it. */
export function closeMenusOnOutsideClick(root: HTMLElement): void {
  document.addEventListener("pointerdown", (event) => {
    for (const menu of openMenus(root)) if (!menu.contains(event.target as Node)) menu.open = false;
  });
}

function openMenus(root: HTMLElement): HTMLDetailsElement[] {
  return [...root.querySelectorAll<HTMLDetailsElement>("details.menu[open]")];
}
