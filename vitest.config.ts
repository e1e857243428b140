import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/cluster/**",
      "test/deploy/**",
      "test/install/**",
      "test/**/*.process.test.ts",
      "**/node_modules/**",
    ],
    setupFiles: ["test/property-runs.ts"],
    pool: "threads",
    isolate: false,
    // More workers than cores: many tests wait for other processes.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // On a busy machine the longest tests take minutes. A hanging test still fails.
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
