/** The visible part of the map: its centre, and the pixels per cell. Plain arithmetic. */
export class Camera {
  x = 0;
  y = 0;
  /** pixels per cell */
  scale = 16;
  private goal = { x: 0, y: 0, scale: 16 };
  private speed = { x: 0, y: 0 };
  private isHeld = false;
  private mapWidth = 1;
  private mapHeight = 1;
  private viewWidth = 1;
  private viewHeight = 1;

  setMap(width: number, height: number): void {
    [this.mapWidth, this.mapHeight] = [width, height];
    this.fit(true);
  }

  setView(width: number, height: number): void {
    const [wasWidth, wasHeight] = [this.viewWidth, this.viewHeight];
    const wasFitted = Math.abs(this.goal.scale - this.fitScale()) < 0.01;
    [this.viewWidth, this.viewHeight] = [Math.max(1, width), Math.max(1, height)];
    if (wasFitted && (wasWidth !== width || wasHeight !== height)) this.fit(true);
    else this.clamp();
  }

  /** Return the scale at which the whole map is visible. */
  fitScale(): number {
    return Math.min(this.viewWidth / this.mapWidth, this.viewHeight / this.mapHeight);
  }

  fit(atOnce = false): void {
    this.goal = { x: this.mapWidth / 2, y: this.mapHeight / 2, scale: this.fitScale() };
    this.speed = { x: 0, y: 0 };
    if (atOnce) Object.assign(this, this.goal);
  }

  /** Return [column, row] under a pixel of the view, with fractions. */
  toMap(px: number, py: number): [number, number] {
    return [this.x + (px - this.viewWidth / 2) / this.scale, this.y + (py - this.viewHeight / 2) / this.scale];
  }

  toView(column: number, row: number): [number, number] {
    return [(column - this.x) * this.scale + this.viewWidth / 2, (row - this.y) * this.scale + this.viewHeight / 2];
  }

  /** Return the cells in view: [left, top, right, bottom]. */
  bounds(): [number, number, number, number] {
    const [left, top] = this.toMap(0, 0);
    const [right, bottom] = this.toMap(this.viewWidth, this.viewHeight);
    return [left, top, right, bottom];
  }

  /** Zoom by a factor; the cell under the given pixel stays in place. */
  zoom(factor: number, px = this.viewWidth / 2, py = this.viewHeight / 2): void {
    const least = Math.min(this.fitScale() * 0.8, 8);
    const scale = Math.min(160, Math.max(least, this.goal.scale * factor));
    const [dx, dy] = [px - this.viewWidth / 2, py - this.viewHeight / 2];
    const at = [this.goal.x + dx / this.goal.scale, this.goal.y + dy / this.goal.scale];
    this.goal = { x: at[0] - dx / scale, y: at[1] - dy / scale, scale };
    this.clamp();
  }

  hold(): void {
    this.isHeld = true;
    this.speed = { x: 0, y: 0 };
  }

  /** Pan by pixels, with the pointer. */
  drag(dx: number, dy: number, seconds: number): void {
    const [x, y] = [-dx / this.scale, -dy / this.scale];
    this.goal.x += x;
    this.goal.y += y;
    this.clamp();
    [this.x, this.y] = [this.goal.x, this.goal.y];
    if (seconds > 0)
      this.speed = { x: 0.6 * this.speed.x + (0.4 * x) / seconds, y: 0.6 * this.speed.y + (0.4 * y) / seconds };
  }

  release(): void {
    this.isHeld = false;
    if (Math.hypot(this.speed.x, this.speed.y) * this.scale < 40) this.speed = { x: 0, y: 0 };
  }

  /** Move to a place, and to a scale if given. */
  lookAt(column: number, row: number, scale?: number, atOnce = false): void {
    this.goal.x = column;
    this.goal.y = row;
    if (scale !== undefined) this.goal.scale = Math.min(160, Math.max(scale, 1));
    this.speed = { x: 0, y: 0 };
    this.clamp();
    if (atOnce) Object.assign(this, this.goal);
  }

  /** Keep a place in the middle part of the view. */
  keepInView(column: number, row: number, margin = 0.3): void {
    const halfWidth = (this.viewWidth / this.goal.scale) * (0.5 - margin);
    const halfHeight = (this.viewHeight / this.goal.scale) * (0.5 - margin);
    this.goal.x = Math.min(Math.max(this.goal.x, column - halfWidth), column + halfWidth);
    this.goal.y = Math.min(Math.max(this.goal.y, row - halfHeight), row + halfHeight);
    this.clamp();
  }

  pan(columns: number, rows: number): void {
    this.goal.x += columns;
    this.goal.y += rows;
    this.clamp();
  }

  /** Advance the animation; return whether anything moved. */
  advance(seconds: number): boolean {
    if (!this.isHeld && (this.speed.x || this.speed.y)) {
      this.goal.x += this.speed.x * seconds;
      this.goal.y += this.speed.y * seconds;
      const slower = Math.exp(-4 * seconds);
      this.speed = { x: this.speed.x * slower, y: this.speed.y * slower };
      if (Math.hypot(this.speed.x, this.speed.y) * this.scale < 5) this.speed = { x: 0, y: 0 };
      this.clamp();
    }
    const part = 1 - Math.exp(-14 * seconds);
    const far = Math.hypot(this.goal.x - this.x, this.goal.y - this.y) * this.scale;
    const zooms = Math.abs(Math.log(this.goal.scale / this.scale));
    if (far < 0.05 && zooms < 0.0005) {
      const isStill = far === 0 && zooms === 0;
      Object.assign(this, this.goal);
      return !isStill;
    }
    this.x += (this.goal.x - this.x) * part;
    this.y += (this.goal.y - this.y) * part;
    this.scale *= (this.goal.scale / this.scale) ** part;
    return true;
  }

  /** Keep the centre of the view on the map. */
  private clamp(): void {
    const margin = (view: number, map: number) => Math.min(map / 2, view / 2 / this.goal.scale - 2);
    const [mx, my] = [margin(this.viewWidth, this.mapWidth), margin(this.viewHeight, this.mapHeight)];
    this.goal.x = Math.min(Math.max(this.goal.x, mx), this.mapWidth - mx);
    this.goal.y = Math.min(Math.max(this.goal.y, my), this.mapHeight - my);
  }
}
