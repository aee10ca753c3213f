import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** Imports from a file that the lint must reject. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ["src/decode/planted.ts", "../board/palette"],
  ["src/decode/planted.ts", "../pages/app"],
  ["src/decode/planted.ts", "../league/api"],
  ["src/decode/planted.ts", "../ui/dom"],
  ["src/decode/planted.ts", "pixi.js"],
  ["src/ui/planted.ts", "../pages/app"],
  ["src/ui/planted.ts", "../decode"],
  ["src/live/planted.ts", "../decode"],
  ["src/live/planted.ts", "../ui/dom"],
  ["src/board/planted.ts", "../pages/app"],
  ["src/board/planted.ts", "../league/api"],
  ["src/board/planted.ts", "../ui/dom"],
  ["src/board/planted.ts", "../decode/fields"],
  ["src/pages/planted.ts", "../league"],
  ["src/pages/panels/planted.ts", "../../league/parts/table"],
  ["src/pages/panels/planted.ts", "../../decode/fields"],
  ["src/pages/planted.ts", "pixi.js"],
  ["src/league/planted.ts", "../pages/app"],
  ["src/league/parts/planted.ts", "../../pages/live/door"],
  ["src/league/views/planted.ts", "../../board/palette"],
  ["src/league/planted.ts", "../decode"],
  ["src/pages/planted.ts", "../bitworld/wire"],
  ["src/bitworld/planted.ts", "../pages/app"],
  ["src/bitworld/planted.ts", "../league/api"],
  ["src/bitworld/parts/planted.ts", "../../decode"],
  ["src/bitworld/parts/planted.ts", "../wire/scene"],
  ["src/bitworld/wire/planted.ts", "../parts/held"],
  ["src/bitworld/wire/planted.ts", "../../ui/dom"],
];

const ALLOWED: readonly (readonly [string, string])[] = [
  ["src/decode/planted.ts", "./fields"],
  ["src/board/planted.ts", "../decode"],
  ["src/board/planted.ts", "pixi.js"],
  ["src/pages/panels/planted.ts", "../../decode"],
  ["src/pages/panels/planted.ts", "../../board/palette"],
  ["src/pages/shell/planted.ts", "../../ui/dom"],
  ["src/league/parts/planted.ts", "../../ui/dom"],
  ["src/league/parts/planted.ts", "../api"],
  ["src/bitworld/planted.ts", "../live/match"],
  ["src/pages/planted.ts", "../live/socket"],
  ["src/bitworld/parts/planted.ts", "../wire"],
  ["src/bitworld/parts/planted.ts", "../../ui/dom"],
  ["src/bitworld/wire/planted.ts", "./fields"],
];

/** Lint one file per import in a temporary folder; return the rejected ones. */
function rejected(imports: readonly (readonly [string, string])[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "arrows-"));
  try {
    copyFileSync("biome.jsonc", join(folder, "biome.jsonc"));
    const names = imports.map(([path, specifier], i) => {
      const name = path.replace("planted", `planted${i}`);
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), `import type { A } from "${specifier}";\nexport type B = A;\n`);
      return name;
    });
    const run = spawnSync(
      join(process.cwd(), "node_modules/.bin/biome"),
      ["ci", "--only=style/noRestrictedImports", "--max-diagnostics=none", "--colors=off"],
      { cwd: folder, encoding: "utf8" },
    );
    const lines = `${run.stdout}${run.stderr}`.split("\n");
    const isRejected = (name: string) =>
      lines.some((line) => line.startsWith(`${name}:`) && line.includes("noRestrictedImports"));
    const bad = names.flatMap((name, i) => (isRejected(name) ? [imports[i].join(" <- ")] : []));
    expect(run.status, lines.join("\n")).toBe(bad.length ? 1 : 0);
    return bad;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the lint rejects imports against the arrows", () => {
  expect(rejected(FORBIDDEN)).toEqual(FORBIDDEN.map((planted) => planted.join(" <- ")));
});

test("the lint allows imports along the arrows", () => {
  expect(rejected(ALLOWED)).toEqual([]);
});
