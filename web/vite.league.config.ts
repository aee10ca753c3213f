import { defineConfig } from "vite";

// The pages of the league. The server answers all their addresses with one document, so what it needs has full paths.
export default defineConfig({
  base: "/observatory/",
  publicDir: "public-league",
  build: {
    target: "es2022",
    modulePreload: false,
    rolldownOptions: { input: "league.html", output: { codeSplitting: false } },
  },
});
