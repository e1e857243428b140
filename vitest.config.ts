import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/cluster/**", "test/deploy/**", "**/node_modules/**"],
    pool: "threads",
    isolate: false,
    testTimeout: 10_000,
    hookTimeout: 30_000,
  },
});
