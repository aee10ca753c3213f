export type Child = Node | string | number | null | undefined | false;
type Props = {
  class?: string;
  id?: string;
  title?: string;
  /** attributes: aria-label, role, data-... */
  attrs?: Record<string, string | number | boolean>;
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
};

/** Create an element. Texts become text nodes: data of a replay is never parsed as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  if (props.id) element.id = props.id;
  if (props.title) element.title = props.title;
  for (const [name, value] of Object.entries(props.attrs ?? {})) {
    if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, handler] of Object.entries(props.on ?? {})) {
    element.addEventListener(name, handler as (event: Event) => void);
  }
  append(element, children);
  return element;
}

export function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replace the content of an element. */
export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** Elements with click handlers: `renew` reuses them only if the handler would do the same. */
const live = new WeakSet<Node>();

/** A handler may depend on the element's attributes, not on values captured at creation: see `renew`. */
export function onClick(element: HTMLElement, handler: () => void): void {
  live.add(element);
  element.addEventListener("click", handler);
}

/**
 * Update the content of an element in place, only where it differs: unchanged nodes keep keyboard focus, scroll
 * position and open state, at almost no cost.
 */
export function renew(element: Element, ...children: Child[]): void {
  const shown = children.filter((child) => child !== null && child !== undefined && child !== false);
  shown.forEach((child, i) => {
    const next = child instanceof Node ? child : document.createTextNode(String(child));
    const old = element.childNodes[i];
    if (!old) element.append(next);
    else if (old !== next && !patch(old, next)) old.replaceWith(next);
  });
  while (element.childNodes.length > shown.length) element.lastChild!.remove();
}

/** Update the old node to equal the new one; return whether that was possible. */
function patch(old: Node, next: Node): boolean {
  if (old instanceof Text && next instanceof Text) {
    if (old.data !== next.data) old.data = next.data;
    return true;
  }
  if (!(old instanceof Element) || !(next instanceof Element) || old.tagName !== next.tagName) return false;
  if (next instanceof HTMLCanvasElement || next instanceof HTMLInputElement || next instanceof HTMLSelectElement)
    return false;
  const isSame = sameAttributes(old, next);
  if (!isSame) {
    if (live.has(old) || live.has(next)) return false;
    copyAttributes(old, next);
  } else if (live.has(old) !== live.has(next)) return false;
  renew(old, ...next.childNodes);
  return true;
}

function sameAttributes(old: Element, next: Element): boolean {
  const count = (element: Element) => element.attributes.length - Number(isOpenDetails(element));
  return (
    count(old) === count(next) && [...next.attributes].every(({ name, value }) => old.getAttribute(name) === value)
  );
}

function copyAttributes(old: Element, next: Element): void {
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && !(name === "open" && old.tagName === "DETAILS")) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) === value) continue;
    // The content security policy allows styles set by script, but not inline style attributes.
    if (name === "style") (old as HTMLElement).style.cssText = (next as HTMLElement).style.cssText;
    else old.setAttribute(name, value);
  }
}

function isOpenDetails(element: Element): boolean {
  return element.tagName === "DETAILS" && element.hasAttribute("open");
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Create an icon from a path on a 24 by 24 square. */
export function icon(path: string, label = ""): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  if (label) svg.setAttribute("aria-label", label);
  else svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** Create a button with a tooltip. Its accessible name contains the shown label, so that it can be said by voice. */
export function button(label: string, path: string, click: () => void, shownLabel = ""): HTMLButtonElement {
  const isNamed = label.toLowerCase().includes(shownLabel.toLowerCase());
  const name = isNamed ? label : `${shownLabel}: ${label}`;
  const control = el("button", { class: "button", title: label, attrs: { type: "button", "aria-label": name } });
  if (path) control.append(icon(path));
  if (shownLabel) control.append(el("span", {}, shownLabel));
  onClick(control, click);
  return control;
}
