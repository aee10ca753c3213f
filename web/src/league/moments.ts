/** Addresses of a moment of a match. No DOM. */

/** Return the tick that the address of a page names; null without one. */
export function tickOf(search: string): number | null {
  const text = new URLSearchParams(search).get("tick") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Return the address of the viewer at the tick that the page's address names, else as it is. */
export function atTick(viewer: string, search: string): string {
  const tick = tickOf(search);
  return tick === null ? viewer : `${viewer.replace(/&tick=\d+/, "")}&tick=${tick}`;
}

/** Return the address of a page at a tick. */
export function pageAt(path: string, tick: number | null): string {
  return tick === null ? path : `${path}?tick=${tick}`;
}

/** Return the HTML with which another site shows a match. */
export function embedCode(origin: string, path: string, tick: number | null, title: string): string {
  const address = pageAt(path.replace(/^\/observatory\//, "/observatory/embed/"), tick);
  const quoted = title.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return `<iframe src="${origin}${address}" title="${quoted}" width="960" height="600" loading="lazy" allow="fullscreen"></iframe>`;
}
