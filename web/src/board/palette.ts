import type { Team } from "../decode";

export type ThemeName = "dark" | "light";
export type PaletteName = "standard" | "colour-blind";

/** Colours of the board itself; those of the page around it are in style.css. */
export interface Theme {
  readonly name: ThemeName;
  readonly outside: string;
  readonly ground: string;
  readonly groundSpeck: string;
  readonly wall: string;
  readonly wallLight: string;
  readonly wallDark: string;
  readonly ink: string;
  readonly paper: string;
  readonly neutral: string;
  readonly fog: readonly [number, number, number];
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    name: "dark",
    outside: "#0c0f12",
    ground: "#171c21",
    groundSpeck: "#1c2228",
    wall: "#323b45",
    wallLight: "#3f4a56",
    wallDark: "#242b33",
    ink: "#eef2f5",
    paper: "#12161a",
    neutral: "#93a0ad",
    fog: [6, 8, 10],
  },
  light: {
    name: "light",
    outside: "#d9d6cf",
    ground: "#f2f0ea",
    groundSpeck: "#ebe8e0",
    wall: "#bdb8ac",
    wallLight: "#cfcbc0",
    wallDark: "#a29c8e",
    ink: "#1d2329",
    paper: "#ffffff",
    neutral: "#7c8590",
    fog: [70, 72, 76],
  },
};

/** Distinguishable with the common kinds of colour blindness (after Okabe and Ito). */
const SAFE = ["#56b4e9", "#d55e00", "#009e73", "#f0e442", "#cc79a7", "#0072b2", "#e69f00", "#9aa0a6"];
const SAFE_NAMED: Readonly<Record<string, string>> = {
  cogs: "#56b4e9",
  clips: "#d55e00",
  red: "#d55e00",
  blue: "#0072b2",
  green: "#009e73",
  yellow: "#f0e442",
};

const STANDARD = ["#3fa9c9", "#e5603f", "#62b56a", "#e2b33c", "#a978d6", "#5b84e6", "#d4699b", "#8d99a6"];
const STANDARD_NAMED: Readonly<Record<string, string>> = {
  cogs: "#3fa9c9",
  clips: "#e5603f",
  red: "#dd5552",
  blue: "#4f87e4",
  green: "#57b36a",
  yellow: "#e0b23a",
};

export function teamColour(team: Team, palette: PaletteName): string {
  const [named, others] = palette === "colour-blind" ? [SAFE_NAMED, SAFE] : [STANDARD_NAMED, STANDARD];
  const word = team.name
    .toLowerCase()
    .split(/[^a-z]+/)
    .reverse()
    .find((part) => Object.hasOwn(named, part));
  return word ? named[word] : others[team.index % others.length];
}

const RESOURCES: Readonly<Record<string, string>> = {
  oxygen: "#6cc7e8",
  carbon: "#7d8791",
  germanium: "#a678e0",
  silicon: "#e5953c",
  hp: "#58b368",
  heart: "#e2557a",
  energy: "#e8c33f",
  solar: "#efa93a",
  aligner: "#4fb3a5",
  scrambler: "#d86fb0",
  miner: "#c08a52",
  scout: "#6f9be0",
};

/** Return a resource's colour; one without an assigned colour gets a stable colour from its name. */
export function resourceColour(name: string): string {
  if (Object.hasOwn(RESOURCES, name)) return RESOURCES[name];
  let hue = 7;
  for (const letter of name) hue = (hue * 31 + letter.codePointAt(0)!) % 360;
  const channel = (turn: number) => 0.6 + 0.18 * Math.cos(((hue + turn) / 180) * Math.PI);
  return hex(channel(0) * 255, channel(240) * 255, channel(120) * 255);
}

export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return { r: (value >> 16) & 255, g: (value >> 8) & 255, b: value & 255 };
}

function hex(...channels: number[]): string {
  return `#${channels.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("")}`;
}

/** Convert a colour to the renderer's format. */
export function tintOf(colour: string): number {
  return parseInt(colour.slice(1), 16);
}

/** Interpolate between two colours. */
export function mix(from: string, to: string, part: number): string {
  const [a, b] = [rgb(from), rgb(to)];
  const channel = (x: number, y: number) => x + (y - x) * part;
  return hex(channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b));
}
