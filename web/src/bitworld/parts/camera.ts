/** Where the map is on the canvas, in device pixels: `scale` per pixel of the map, and the place of its corner. */
export class Camera {
  scale = 1;
  x = 0;
  y = 0;
  private isFitted = true;
  private view = { width: 1, height: 1 };
  private map = { width: 1, height: 1 };

  /** Note the sizes of the canvas and of the map; a map that was fitted stays fitted. */
  resize(view: { width: number; height: number }, map: { width: number; height: number }): void {
    const isSame =
      view.width === this.view.width &&
      view.height === this.view.height &&
      map.width === this.map.width &&
      map.height === this.map.height;
    if (isSame) return;
    this.view = { width: view.width, height: view.height }; // a canvas: its sizes are not its own properties
    this.map = { width: map.width, height: map.height };
    if (this.isFitted) this.fit();
    else this.clamp();
  }

  /** Show the whole map as large as possible. */
  fit(): void {
    this.isFitted = true;
    const exact = Math.min(this.view.width / this.map.width, this.view.height / this.map.height);
    this.scale = exact >= 3 ? Math.floor(exact) : exact; // whole steps are crisp, but must not waste much of the view
    this.x = (this.view.width - this.map.width * this.scale) / 2;
    this.y = (this.view.height - this.map.height * this.scale) / 2;
  }

  /** Zoom by a factor; the point of the canvas stays where it is. */
  zoom(factor: number, x = this.view.width / 2, y = this.view.height / 2): void {
    const fitted = Math.min(this.view.width / this.map.width, this.view.height / this.map.height);
    const scale = Math.min(Math.max(this.scale * factor, Math.min(fitted, 1) / 2), 24);
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.isFitted = false;
    this.clamp();
  }

  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
    this.isFitted = false;
    this.clamp();
  }

  /** Return the place on the map of a point of the canvas. */
  place(x: number, y: number): { x: number; y: number } {
    return { x: Math.floor((x - this.x) / this.scale), y: Math.floor((y - this.y) / this.scale) };
  }

  /** Keep a part of the map in the middle of the view. */
  private clamp(): void {
    const { width, height } = this.view;
    this.x = Math.min(Math.max(this.x, width / 2 - this.map.width * this.scale), width / 2);
    this.y = Math.min(Math.max(this.y, height / 2 - this.map.height * this.scale), height / 2);
  }
}
