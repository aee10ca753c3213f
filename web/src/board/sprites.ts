import { mix, resourceColour } from "./palette";

/** Colours and context of a drawing. Every drawing fills a square of 64 by 64. */
export interface Paint {
  /** of the team, or a neutral colour */
  main: string;
  /** of a second team that shares the object, or the same */
  second: string;
  /** outlines and details with contrast to the theme's ground */
  line: string;
  /** initials for objects without a drawing */
  label: string;
}

type Pen = CanvasRenderingContext2D;
type Drawing = (pen: Pen, paint: Paint) => void;

const DARK = "#1a2026";
const WHITE = "#f7f9fb";

function path(pen: Pen, data: string, fill?: string, stroke?: string, width = 3): void {
  const shape = new Path2D(data);
  if (fill) {
    pen.fillStyle = fill;
    pen.fill(shape);
  }
  if (stroke) {
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.lineCap = "round";
    pen.stroke(shape);
  }
}

function circle(pen: Pen, x: number, y: number, radius: number, fill?: string, stroke?: string, width = 3): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, Math.PI * 2);
  if (fill) {
    pen.fillStyle = fill;
    pen.fill();
  }
  if (stroke) {
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.stroke();
  }
}

function box(
  pen: Pen,
  x: number,
  y: number,
  width: number,
  height: number,
  round: number,
  fill?: string,
  stroke?: string,
  line = 3,
): void {
  pen.beginPath();
  pen.roundRect(x, y, width, height, round);
  if (fill) {
    pen.fillStyle = fill;
    pen.fill();
  }
  if (stroke) {
    pen.strokeStyle = stroke;
    pen.lineWidth = line;
    pen.stroke();
  }
}

/** A gear wheel: the body of a cog. */
function gear(
  pen: Pen,
  inner: number,
  outer: number,
  teeth: number,
  fill: string,
  stroke: string,
  width: number,
): void {
  pen.beginPath();
  for (let i = 0; i < teeth * 4; i++) {
    const angle = ((i + 0.5) / (teeth * 4)) * Math.PI * 2 - Math.PI / 2;
    const radius = i % 4 < 2 ? outer : inner;
    pen.lineTo(32 + Math.cos(angle) * radius, 32 + Math.sin(angle) * radius);
  }
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = stroke;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.stroke();
}

function polygon(sides: number, radius: number, turn = 0, x = 32, y = 32): string {
  const points = Array.from({ length: sides }, (_, i) => {
    const angle = (i / sides) * Math.PI * 2 + turn;
    return `${(x + Math.cos(angle) * radius).toFixed(2)} ${(y + Math.sin(angle) * radius).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

/* ---- signs: roles, resources, vibes; drawn in the middle, about 36 wide ---- */

function pickaxe(pen: Pen, colour: string, accent: string): void {
  path(pen, "M20 46L40 24", undefined, accent, 5);
  path(pen, "M24 19C33 14 44 19 48 30C42 25 36 22 31 23Z", colour, colour, 2);
  path(pen, "M47 40C52 33 50 24 43 18C45 25 45 31 42 35Z", colour, colour, 2);
}

function linked(pen: Pen, colour: string): void {
  pen.save();
  pen.translate(32, 32);
  pen.rotate(-Math.PI / 4);
  box(pen, -19, -7, 20, 14, 7, undefined, colour, 5);
  box(pen, -1, -7, 20, 14, 7, undefined, colour, 5);
  pen.restore();
}

function swirl(pen: Pen, colour: string): void {
  path(
    pen,
    "M32 33C35 29 29 26 26 30C22 36 30 43 37 39C46 34 42 20 31 19C20 18 13 29 16 38C19 48 33 52 43 46",
    undefined,
    colour,
    5,
  );
}

function lens(pen: Pen, colour: string): void {
  circle(pen, 29, 28, 11, undefined, colour, 5);
  path(pen, "M37 37L47 48", undefined, colour, 6);
}

function heartShape(pen: Pen, fill: string, stroke?: string): void {
  path(pen, "M32 50C14 38 12 28 15 22C19 14 29 15 32 24C35 15 45 14 49 22C52 28 50 38 32 50Z", fill, stroke, 3);
}

function bolt(pen: Pen, fill: string, stroke?: string): void {
  path(pen, "M36 12L17 36H30L27 53L47 27H34Z", fill, stroke, 3);
}

function sun(pen: Pen, colour: string): void {
  circle(pen, 32, 32, 9, colour);
  for (let i = 0; i < 8; i++) {
    const angle = (i / 8) * Math.PI * 2;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    path(pen, `M${32 + x * 14} ${32 + y * 14}L${32 + x * 20} ${32 + y * 20}`, undefined, colour, 4);
  }
}

function crossSign(pen: Pen, fill: string): void {
  path(pen, "M26 15H38V26H49V38H38V49H26V38H15V26H26Z", fill);
}

function bubbles(pen: Pen, colour: string, stroke: string): void {
  circle(pen, 25, 35, 12, colour, stroke, 3);
  circle(pen, 42, 27, 8.5, mix(colour, "#ffffff", 0.35), stroke, 3);
  circle(pen, 21, 31, 3, WHITE);
}

function molecule(pen: Pen, colour: string, stroke: string): void {
  path(pen, polygon(6, 18, Math.PI / 6), colour, stroke, 3);
  path(pen, polygon(6, 9, Math.PI / 6), undefined, stroke, 3);
}

function crystal(pen: Pen, colour: string, stroke: string): void {
  path(pen, "M32 11L46 27L32 53L18 27Z", colour, stroke, 3);
  path(pen, "M18 27H46M32 11L26 27L32 53L38 27Z", undefined, mix(colour, "#ffffff", 0.45), 2);
}

function chip(pen: Pen, colour: string, stroke: string): void {
  for (let i = 0; i < 3; i++) {
    const at = 23 + i * 9;
    path(pen, `M${at} 13V51M13 ${at}H51`, undefined, stroke, 3);
  }
  box(pen, 17, 17, 30, 30, 4, colour, stroke, 3);
  box(pen, 25, 25, 14, 14, 2, mix(colour, "#ffffff", 0.45));
}

function smallGear(pen: Pen, colour: string): void {
  pen.save();
  gear(pen, 13, 19, 8, colour, colour, 1);
  pen.globalCompositeOperation = "destination-out";
  circle(pen, 32, 32, 6, "#000");
  pen.restore();
}

/** Signs by name; each has a default colour. */
const SIGNS: Readonly<Record<string, (pen: Pen, colour: string, line: string) => void>> = {
  miner: (pen, colour) => pickaxe(pen, colour, mix(colour, "#8c8c8c", 0.55)),
  aligner: linked,
  scrambler: swirl,
  scout: lens,
  heart: (pen, colour) => heartShape(pen, colour),
  hp: crossSign,
  energy: (pen, colour) => bolt(pen, colour),
  solar: sun,
  oxygen: bubbles,
  carbon: molecule,
  germanium: crystal,
  silicon: chip,
  gear: smallGear,
};

export function hasSign(name: string): boolean {
  return Object.hasOwn(SIGNS, name);
}

function sign(pen: Pen, name: string, colour: string, line: string): void {
  if (hasSign(name)) SIGNS[name](pen, colour, line);
  else initials(pen, name, colour);
}

function initials(pen: Pen, text: string, colour: string, size = 26): void {
  pen.fillStyle = colour;
  pen.font = `600 ${size}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(initialsOf(text), 32, 33.5, 40);
}

export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word);
  const first = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 2);
  return first.join("").toUpperCase();
}

/* ---- objects on the map ---- */

function extractor(name: string): Drawing {
  return (pen, { line }) => {
    const colour = resourceColour(name);
    box(pen, 7, 9, 50, 48, 10, mix(DARK, colour, 0.22), line, 2.5);
    box(pen, 7, 47, 50, 10, 5, mix(DARK, colour, 0.5));
    pen.save();
    pen.translate(0, -4);
    sign(pen, name, colour, mix(colour, DARK, 0.55));
    pen.restore();
  };
}

function station(name: string): Drawing {
  return (pen, { main, line }) => {
    path(pen, "M14 8H50L58 18V50L50 58H14L6 50V18Z", mix(DARK, main, 0.28), line, 2.5);
    path(pen, "M14 8H50L58 18H6Z", main);
    pen.save();
    pen.translate(0, 4);
    sign(pen, name, WHITE, mix(WHITE, main, 0.4));
    pen.restore();
  };
}

const THINGS: Readonly<Record<string, Drawing>> = {
  hub: (pen, { main, line }) => {
    path(pen, polygon(6, 30, Math.PI / 6), mix(main, DARK, 0.45), line, 3);
    path(pen, polygon(6, 22, Math.PI / 6), main);
    path(pen, "M32 17L36.5 27.5L48 28.5L39.3 36L42 47L32 41L22 47L24.7 36L16 28.5L27.5 27.5Z", WHITE);
  },
  junction: (pen, { main, second, line }) => {
    path(pen, "M32 4L60 32L32 60L4 32Z", mix(main, DARK, 0.55), line, 3);
    path(pen, "M32 13L51 32L32 51L13 32Z", main);
    if (second !== main) path(pen, "M32 13L51 32L32 51Z", second);
    circle(pen, 32, 32, 8.5, WHITE, mix(main, DARK, 0.55), 3);
  },
  "junction-neutral": (pen, { main, line }) => {
    path(pen, "M32 6L58 32L32 58L6 32Z", mix(DARK, main, 0.18), line, 2.5);
    path(pen, "M32 15L49 32L32 49L15 32Z", undefined, main, 3.5);
    circle(pen, 32, 32, 5, main);
  },
  carbon_extractor: extractor("carbon"),
  oxygen_extractor: extractor("oxygen"),
  germanium_extractor: extractor("germanium"),
  silicon_extractor: extractor("silicon"),
  aligner: station("aligner"),
  scrambler: station("scrambler"),
  miner: station("miner"),
  scout: station("scout"),
  ship: (pen, { main, line }) => {
    path(
      pen,
      "M32 3C44 10 51 24 51 40L60 54L44 51L32 61L20 51L4 54L13 40C13 24 20 10 32 3Z",
      mix(main, DARK, 0.35),
      line,
      3,
    );
    path(pen, "M32 12C40 17 44 27 44 39L32 49L20 39C20 27 24 17 32 12Z", main);
    path(pen, "M37 24V37A5 5 0 0 1 27 37V25A3.5 3.5 0 0 1 34 25V36", undefined, WHITE, 3);
  },
  chest: (pen, { main, line }) => {
    box(pen, 8, 14, 48, 40, 7, mix(main, DARK, 0.3), line, 3);
    path(pen, "M8 30H56", undefined, line, 3);
    box(pen, 26, 25, 12, 13, 3, WHITE, line, 2.5);
  },
  wall: (pen, { main, line }) => {
    box(pen, 2, 2, 60, 60, 6, main, line, 3);
    path(pen, "M2 22H62M2 42H62M22 2V22M42 22V42M22 42V62", undefined, line, 3);
  },
  box: (pen, { main, line, label }) => {
    box(pen, 7, 7, 50, 50, 9, mix(DARK, main, 0.35), line, 3);
    initials(pen, label, WHITE);
  },
};

export const hasDrawing = (type: string): boolean => Object.hasOwn(THINGS, type);

/** A cog: the wheel's colour is its team, the sign on it its role; without a role it has eyes. */
function cog(pen: Pen, paint: Paint, role: string, isDown: boolean): void {
  const body = isDown ? mix(paint.main, DARK, 0.6) : paint.main;
  gear(pen, 24, 30, 9, body, paint.line, 3);
  circle(pen, 32, 32, 19.5, mix(body, DARK, 0.62));
  if (isDown) {
    path(pen, "M23 26L29 32M29 26L23 32M35 26L41 32M41 26L35 32", undefined, WHITE, 3.5);
    path(pen, "M25 42H39", undefined, WHITE, 3);
  } else if (role) {
    pen.save();
    pen.translate(32, 32);
    pen.scale(0.82, 0.82);
    pen.translate(-32, -32);
    sign(pen, role, WHITE, mix(WHITE, body, 0.45));
    pen.restore();
  } else {
    circle(pen, 25.5, 31, 4.2, WHITE);
    circle(pen, 38.5, 31, 4.2, WHITE);
  }
}

/** Draws by name: an object type, `cog:<role>`, `cog-down`, `sign:<name>`, or one of the marks below. */
export function drawSprite(pen: Pen, name: string, paint: Paint): void {
  const [kind, detail] = [name.split(":", 1)[0], name.slice(name.indexOf(":") + 1)];
  if (kind === "cog") cog(pen, paint, name.includes(":") ? detail : "", false);
  else if (kind === "cog-down") cog(pen, paint, "", true);
  else if (kind === "sign") sign(pen, detail, resourceColour(detail), paint.line);
  else if (kind === "emoji") emoji(pen, detail);
  else if (Object.hasOwn(MARKS, name)) MARKS[name](pen, paint);
  else THINGS[hasDrawing(name) ? name : "box"](pen, paint);
}

function emoji(pen: Pen, text: string): void {
  pen.font = "44px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = WHITE;
  pen.fillText(text, 32, 35, 60);
}

const MARKS: Readonly<Record<string, Drawing>> = {
  white: (pen) => box(pen, 0, 0, 64, 64, 0, "#fff"),
  dot: (pen) => circle(pen, 32, 32, 28, "#fff"),
  ring: (pen) => circle(pen, 32, 32, 24, undefined, "#fff", 9),
  band: (pen) => circle(pen, 32, 32, 28, undefined, "#fff", 4.5),
  "pip-agent": (pen, { main, line }) => circle(pen, 32, 32, 25, main, line, 9),
  "pip-hub": (pen, { main, line }) => path(pen, polygon(6, 28, Math.PI / 6), main, line, 7),
  "pip-junction": (pen, { main, second, line }) => {
    path(pen, "M32 6L58 32L32 58L6 32Z", main, line, 6);
    if (second !== main) path(pen, "M32 6L58 32L32 58Z", second);
  },
  "pip-object": (pen, { main }) => box(pen, 14, 14, 36, 36, 8, main),
  facing: (pen, { line }) => path(pen, "M53 25L62 32L53 39Z", WHITE, line, 2),
  select: (pen) => {
    for (let turn = 0; turn < 4; turn++) {
      pen.save();
      pen.translate(32, 32);
      pen.rotate((turn * Math.PI) / 2);
      path(pen, "M-29 -16V-25A4 4 0 0 1 -25 -29H-16", undefined, "#fff", 5);
      pen.restore();
    }
  },
  target: (pen) => {
    circle(pen, 32, 32, 19, undefined, "#fff", 4);
    path(pen, "M32 4V20M32 44V60M4 32H20M44 32H60", undefined, "#fff", 4);
  },
  badge: (pen, { main, line }) => circle(pen, 32, 32, 29, main, line, 3),
};
