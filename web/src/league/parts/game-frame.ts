import { el, icon } from "../../ui/dom";
import { act, ICONS } from "./bits";

/**
 * A third-party page (a game, a replay page, a report) in a frame without rights: it runs scripts in an
 * opaque origin, and can reach neither this page nor the session. The server sends the same restrictions with the page
 * (`observatory/http/frames.py`). This page takes no messages from the frame.
 *
 * The element keeps its frame while the address stays the same, so a page may draw it again and again.
 */
export class GameFrame {
  readonly element = el("div", { class: "game-frame" });
  private readonly frame: HTMLIFrameElement;
  private address = "";

  constructor(title: string, options: { takesKeyboard: boolean } = { takesKeyboard: true }) {
    this.frame = gameFrame(title, options);
    const wide = act("Full screen", () => void this.frame.requestFullscreen?.().catch(() => undefined));
    wide.prepend(icon(ICONS.full));
    this.element.append(this.frame, el("p", { class: "actions game-frame-actions" }, wide));
  }

  /** Load an address, unless it is the current one. */
  show(address: string): void {
    if (address === this.address) return;
    this.address = address;
    this.frame.src = address;
  }

  /** Give the keyboard to the game. */
  focus(): void {
    this.frame.focus();
  }

  /** Unload the page: its sockets and sounds end. */
  clear(): void {
    this.address = "";
    this.frame.src = "about:blank";
  }
}

/**
 * The frame itself. A game gets the keyboard when it has loaded, unless the viewer is typing elsewhere; a replay beside
 * other content does not.
 */
export function gameFrame(title: string, { takesKeyboard } = { takesKeyboard: true }): HTMLIFrameElement {
  const frame = el("iframe", {
    title,
    attrs: {
      sandbox: "allow-scripts allow-pointer-lock",
      allow: "fullscreen; gamepad; autoplay",
      referrerpolicy: "no-referrer",
    },
  });
  frame.addEventListener("load", () => {
    const active = document.activeElement;
    if (takesKeyboard && (active === null || active === document.body)) frame.focus();
  });
  return frame;
}

/** A third-party document, such as a report: it runs no scripts and loads nothing. */
export function reportFrame(title: string, address: string): HTMLIFrameElement {
  return el("iframe", {
    title,
    class: "report-frame",
    attrs: { src: address, sandbox: "", referrerpolicy: "no-referrer" },
  });
}
