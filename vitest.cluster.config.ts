import { defineConfig } from "vitest/config";

/** Tests against a real Kubernetes API server: slow to start, one file at a time. */
export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    passWithNoTests: true,
    testTimeout: 180_000,
    hookTimeout: 900_000,
  },
});
