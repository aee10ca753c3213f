import { drawSprite, type Paint } from "../board/sprites";
import { el } from "../ui/dom";

const cache = new Map<string, string>();
const MOST_CACHED = 500;

/** Return a board sprite as a small image. */
export function spriteIcon(name: string, paint: Partial<Paint> = {}, label = ""): HTMLImageElement {
  const full: Paint = { main: "#8b97a3", second: paint.main ?? "#8b97a3", line: "#12161a", label: name, ...paint };
  const key = `${name}|${full.main}|${full.second}|${full.line}|${full.label}`;
  let address = cache.get(key);
  if (!address) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 48;
    const pen = canvas.getContext("2d")!;
    pen.scale(0.75, 0.75);
    drawSprite(pen, name, full);
    address = canvas.toDataURL();
    if (cache.size > MOST_CACHED) cache.clear();
    cache.set(key, address);
  }
  return el("img", { class: "sprite", attrs: { src: address, alt: label, width: 20, height: 20 } });
}
