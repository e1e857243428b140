import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/cluster/**", "test/deploy/**", "**/node_modules/**"],
    setupFiles: ["test/property-runs.ts"],
    pool: "threads",
    isolate: false,
    // More workers than cores: many tests wait for other processes.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
