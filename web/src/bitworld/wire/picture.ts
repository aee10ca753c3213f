/** Draws packed pictures: two pixels in a byte, the left one in the low half, each an index of the palette. */
export class PictureReader {
  readonly bytes: number;
  /** RGBA, row by row */
  readonly pixels: Uint32Array<ArrayBuffer>;
  private readonly colours: Uint32Array;

  constructor(
    readonly side: number,
    palette: readonly string[],
  ) {
    if (palette.length !== 16) throw new Error(`the palette has ${palette.length} colours instead of 16`);
    this.bytes = (side * side) / 2;
    this.pixels = new Uint32Array(side * side);
    this.colours = Uint32Array.from(palette, rgba);
  }

  /** Unpack a picture into `pixels`; return false, and change nothing, if the size is wrong. */
  read(packed: Uint8Array): boolean {
    if (packed.length !== this.bytes) return false;
    for (let i = 0; i < packed.length; i++) {
      const both = packed[i]!;
      this.pixels[2 * i] = this.colours[both & 15]!;
      this.pixels[2 * i + 1] = this.colours[both >> 4]!;
    }
    return true;
  }
}

/** Return a colour such as `#ff004d` as the number whose bytes in memory are red, green, blue and alpha. */
function rgba(colour: string): number {
  const value = Number.parseInt(colour.slice(1), 16);
  const bytes = Uint8Array.of(value >> 16, (value >> 8) & 255, value & 255, 255);
  return new Uint32Array(bytes.buffer)[0]!;
}
