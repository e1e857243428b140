import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/cluster/**", "test/deploy/**", "**/node_modules/**"],
    setupFiles: ["test/property-runs.ts"],
    pool: "threads",
    isolate: false,
    // One less by default: on two cores a single worker, that waits for processes most of the time.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
