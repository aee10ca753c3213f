import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defineConfig, type Plugin } from "vite";

const require = createRequire(import.meta.url);

/** Copies the files of Swagger UI beside the pages, so that `/docs` loads nothing from other hosts. */
function swaggerUi(): Plugin {
  const { version } = require("swagger-ui-dist/package.json") as { version: string };
  const files = { "swagger-ui-bundle.js": ".js", "swagger-ui.css": ".css", LICENSE: ".license.txt" };
  return {
    name: "swagger-ui",
    generateBundle() {
      for (const [name, ending] of Object.entries(files)) {
        const source = readFileSync(require.resolve(`swagger-ui-dist/${name}`));
        this.emitFile({ type: "asset", fileName: `assets/swagger-ui-${version}${ending}`, source });
      }
    },
  };
}

// The pages of the league. The server serves one document for all addresses, so its assets have absolute paths.
export default defineConfig({
  base: "/observatory/",
  publicDir: "public-league",
  plugins: [swaggerUi()],
  build: {
    target: "es2022",
    modulePreload: false,
    rolldownOptions: { input: "league.html", output: { codeSplitting: false } },
  },
});
