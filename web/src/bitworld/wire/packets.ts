/** What clients send: packets of a player, and messages of a map viewer. */

export function buttonPacket(mask: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(0, mask);
}

/** Return the packet of a chat message; characters outside of printable ASCII become `?`. */
export function chatPacket(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(1, ...ascii(text));
}

export function textMessage(text: string): Uint8Array<ArrayBuffer> {
  const bytes = ascii(text);
  return Uint8Array.of(0x81, bytes.length & 255, bytes.length >> 8, ...bytes);
}

export function mouseMessage(x: number, y: number, layer: number): Uint8Array<ArrayBuffer> {
  const message = new DataView(new ArrayBuffer(6));
  message.setUint8(0, 0x82);
  message.setInt16(1, clamp(x), true);
  message.setInt16(3, clamp(y), true);
  message.setUint8(5, layer);
  return new Uint8Array(message.buffer);
}

/** `button`: 1 left, 2 right, 3 middle */
export function mouseButtonMessage(button: 1 | 2 | 3, isDown: boolean): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(0x83, button, Number(isDown));
}

function ascii(text: string): number[] {
  return [...text].map((character) => {
    const code = character.codePointAt(0)!;
    return code >= 0x20 && code <= 0x7e ? code : 0x3f;
  });
}

function clamp(value: number): number {
  return Math.min(Math.max(Math.floor(value), -32768), 32767);
}
