import { defineConfig } from "vitest/config";

/**
 * Tests on a local AWS emulator and a real Kubernetes API server: slow to start, one file at a
 * time.
 */
export default defineConfig({
  test: {
    include: ["test/deploy/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
});
