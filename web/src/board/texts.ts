import { Container, Graphics, Text } from "pixi.js";
import type { Theme } from "./palette";

const MOST_LETTERS = 160;

interface Bubble {
  readonly container: Container;
  readonly text: string;
}

/** Names and speech bubbles, in pixels of the view so that letters stay sharp. Texts are drawn, never interpreted. */
export class Texts {
  readonly container = new Container();
  private readonly names = new Map<number, Text>();
  private readonly bubbles = new Map<number, Bubble>();
  private readonly used = new Set<Container>();

  constructor(private readonly theme: Theme) {}

  begin(): void {
    this.used.clear();
  }

  name(key: number, text: string, x: number, y: number): void {
    let label = this.names.get(key);
    if (!label) {
      const stroke = { color: this.theme.paper, width: 3, join: "round" as const };
      const style = { fontFamily: "system-ui, sans-serif", fontSize: 11, fill: this.theme.ink, stroke };
      label = new Text({ text: "", style });
      label.anchor.set(0.5, 0);
      this.names.set(key, label);
      this.container.addChild(label);
    }
    const short = shortened(text, 28);
    if (label.text !== short) label.text = short;
    label.position.set(Math.round(x), Math.round(y));
    this.used.add(label);
  }

  bubble(key: number, text: string, x: number, y: number, alpha: number): void {
    let bubble = this.bubbles.get(key);
    if (bubble && bubble.text !== text) {
      bubble.container.destroy({ children: true, texture: true, textureSource: true });
      bubble = undefined;
    }
    if (!bubble) {
      bubble = { container: this.makeBubble(text), text };
      this.bubbles.set(key, bubble);
      this.container.addChild(bubble.container);
    }
    bubble.container.position.set(Math.round(x), Math.round(y));
    bubble.container.alpha = alpha;
    this.used.add(bubble.container);
  }

  end(): void {
    for (const label of this.names.values()) label.visible = this.used.has(label);
    for (const [key, { container }] of this.bubbles) {
      if (this.used.has(container)) continue;
      container.destroy({ children: true, texture: true, textureSource: true });
      this.bubbles.delete(key);
    }
  }

  private makeBubble(text: string): Container {
    const bubble = new Container();
    const style = {
      fontFamily: "system-ui, sans-serif",
      fontSize: 12,
      fill: "#1d2329",
      wordWrap: true,
      breakWords: true,
      wordWrapWidth: 180,
    };
    const words = new Text({ text: shortened(text, MOST_LETTERS), style });
    const [width, height] = [words.width + 16, words.height + 10];
    const shape = new Graphics()
      .roundRect(-width / 2, -height - 8, width, height, 8)
      .fill("#ffffff")
      .stroke({ color: "#5b6672", width: 1 })
      .poly([-6, -9, 6, -9, 0, 0])
      .fill("#ffffff");
    words.position.set(-width / 2 + 8, -height - 3);
    bubble.addChild(shape, words);
    return bubble;
  }
}

function shortened(text: string, most: number): string {
  const letters = [...text.slice(0, most * 2)];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
