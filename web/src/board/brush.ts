import { Particle, ParticleContainer, type Texture } from "pixi.js";

/** Draws sprites from one sheet. Every frame redraws all of them: this is cheap, and no stale sprite can remain. */
export class Brush {
  readonly container: ParticleContainer;
  private readonly particles: Particle[] = [];
  private used = 0;

  constructor(texture: Texture) {
    const dynamicProperties = { vertex: true, position: true, rotation: true, uvs: true, color: true };
    this.container = new ParticleContainer({ texture, dynamicProperties });
  }

  begin(): void {
    this.used = 0;
  }

  /** Draw a sprite centred at a place; sizes and places are in cells. */
  add(
    texture: Texture,
    x: number,
    y: number,
    width: number,
    height = width,
    { tint = 0xffffff, alpha = 1, rotation = 0 }: { tint?: number; alpha?: number; rotation?: number } = {},
  ): void {
    let particle = this.particles[this.used];
    if (!particle) {
      particle = new Particle({ texture, anchorX: 0.5, anchorY: 0.5 });
      this.particles.push(particle);
    }
    this.used++;
    particle.texture = texture;
    particle.x = x;
    particle.y = y;
    particle.scaleX = width / texture.frame.width;
    particle.scaleY = height / texture.frame.height;
    particle.rotation = rotation;
    particle.tint = tint;
    particle.alpha = alpha;
  }

  /** Draw a straight line from one place to another. */
  line(texture: Texture, x1: number, y1: number, x2: number, y2: number, width: number, tint: number, alpha = 1): void {
    const rotation = Math.atan2(y2 - y1, x2 - x1);
    this.add(texture, (x1 + x2) / 2, (y1 + y2) / 2, Math.hypot(x2 - x1, y2 - y1), width, { tint, alpha, rotation });
  }

  end(): void {
    const children = this.container.particleChildren;
    children.length = 0;
    for (let i = 0; i < this.used; i++) children.push(this.particles[i]);
    this.container.update();
  }
}
