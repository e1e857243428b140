import { defineConfig } from "vitest/config";

/** Tests of each way of installing, with what `npm run release` builds. */
export default defineConfig({
  test: {
    include: ["test/install/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    globalSetup: "test/install/release.ts",
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
