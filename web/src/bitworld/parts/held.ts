/** pictures during which a button stays pressed, so that a short tap is held in at least one tick */
const MIN_PICTURES = 2;

/** The buttons that a player holds, from several sources: keys, touches, a gamepad. Reports changes only. */
export class Held {
  private readonly sources = new Map<string, number>();
  /** button: the number of the picture when it was pressed */
  private readonly pressedAt = new Map<number, number>();
  private pictures = 0;
  private sent = 0;

  constructor(private readonly onChange: (mask: number) => void) {}

  get mask(): number {
    return this.sent;
  }

  set(source: string, mask: number): void {
    if (mask) this.sources.set(source, mask);
    else this.sources.delete(source);
    this.update();
  }

  /** Note that a picture has arrived. */
  tick(): void {
    this.pictures++;
    this.update();
  }

  /** Release everything at once: the page has lost the keyboard. */
  release(): void {
    this.sources.clear();
    this.pressedAt.clear();
    this.update();
  }

  /** Report the buttons again: a new connection knows none. */
  resend(): void {
    if (this.sent) this.onChange(this.sent);
  }

  private update(): void {
    let wanted = 0;
    for (const mask of this.sources.values()) wanted |= mask;
    let mask = 0;
    for (let bit = 1; bit < 128; bit <<= 1) {
      if (wanted & bit && !(this.sent & bit)) this.pressedAt.set(bit, this.pictures);
      const age = this.pictures - (this.pressedAt.get(bit) ?? Number.NEGATIVE_INFINITY);
      if (wanted & bit || (this.sent & bit && age < MIN_PICTURES)) mask |= bit;
    }
    if (mask === this.sent) return;
    this.sent = mask;
    this.onChange(mask);
  }
}
