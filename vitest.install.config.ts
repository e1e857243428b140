import { defineConfig } from "vitest/config";

/** Tests that start real programs, and mostly wait: each way of installing, and commands as processes. */
export default defineConfig({
  test: {
    fileParallelism: false,
    projects: [
      {
        // With what `npm run release` builds.
        test: { ...shared("install"), include: ["test/install/**/*.test.ts"], globalSetup: "test/install/release.ts" },
      },
      { test: { ...shared("process"), include: ["test/**/*.process.test.ts"] } },
    ],
  },
});

function shared(name: string) {
  return { name, pool: "threads", testTimeout: 240_000, hookTimeout: 600_000 } as const;
}
