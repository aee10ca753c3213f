/** The tick that a page shows: follows the newest one, or plays at a speed for people. */
export class Playback {
  tick = 0;
  isPlaying = true;
  /** whether the newest tick is followed */
  isAtEdge = true;
  speed = 1;
  ticksPerSecond = 24;

  /** Advance by the time that has passed. Playing on at the last tick of a running match means following it. */
  advance(seconds: number, last: number, isRunning: boolean): void {
    if (!this.isPlaying) return;
    if (this.isAtEdge && isRunning) {
      this.tick = last;
      return;
    }
    this.tick = Math.min(last, this.tick + seconds * this.ticksPerSecond * this.speed);
    if (this.tick < last) return;
    if (isRunning) this.isAtEdge = true;
    else this.isPlaying = false;
  }

  follow(): void {
    this.isPlaying = this.isAtEdge = true;
  }

  seek(tick: number, last: number): void {
    this.isAtEdge = false;
    this.tick = Math.min(Math.max(tick, 0), last);
  }

  /** Play or pause; from the last tick of a match that is over, play it again. */
  toggle(last: number, isRunning: boolean): void {
    this.isPlaying = !this.isPlaying;
    if (!this.isPlaying) this.isAtEdge = false;
    else if (this.tick >= last && !isRunning) this.tick = 0;
  }
}
