import { defineConfig } from "vite";

// One script and one style sheet: the page is also written as a single file that works from disk.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
