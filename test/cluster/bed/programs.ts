import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const buildScript = join(import.meta.dirname, "build.sh");

export type ProgramName =
  | "crane"
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kubectl"
  | "kwok"
  | "registry"
  | ArgoName
  | HelmName;

/** The controller of Argo Rollouts. */
type ArgoName = "rollouts-controller";

/** Helm. The tests of the chart need Helm 4, and the tests of updates with Helm need both. */
type HelmName = "helm3" | "helm4";

/**
 * Returns the path of a program of the test bed.
 *
 * @throws Error with the build command if the program is missing.
 */
export function programPath(name: ProgramName): string {
  const modules = isHelm(name) ? [name] : name === "rollouts-controller" ? ["argo-rollouts"] : [];
  const path = join(execFileSync(buildScript, ["--where", ...modules], { encoding: "utf8" }).trim(), name);
  try {
    accessSync(path, constants.X_OK);
  } catch (error) {
    throw new Error(
      `${path} does not exist: run ${["test/cluster/bed/build.sh", ...modules].join(" ")} once (several minutes, needs Go)`,
      {
        cause: error,
      },
    );
  }
  return path;
}

function isHelm(name: ProgramName): name is HelmName {
  return name === "helm3" || name === "helm4";
}
