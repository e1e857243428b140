import { configDefaults, defineConfig } from "vitest/config";

/** The tests of Helm need programs that take minutes to build. `npm run proof:helm` builds and runs them. */
const helm = process.env["HELM"] === undefined ? ["test/cluster/helm.test.ts"] : [];

/** The controller of Argo Rollouts takes minutes to build. `npm run proof:argo-rollouts` builds and runs it. */
const argo = process.env["ARGO_ROLLOUTS"] === undefined ? ["test/cluster/argo-rollouts.test.ts"] : [];

/** Tests against a real Kubernetes API server: slow to start. Two files at a time, because most tests wait. */
export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...helm, ...argo],
    pool: "threads",
    maxWorkers: 2,
    passWithNoTests: true,
    testTimeout: 180_000,
    hookTimeout: 900_000,
  },
});
