import { defineConfig } from "vite";

const PAGES = ["player", "global", "replay", "match", "rewards", "stats"];

// The pages of BitWorld games. A game serves them from a folder of any address, so their assets have relative paths.
export default defineConfig({
  root: "bitworld",
  base: "./",
  publicDir: false,
  build: {
    target: "es2022",
    modulePreload: false,
    rolldownOptions: { input: PAGES.map((name) => `bitworld/${name}.html`) },
  },
});
