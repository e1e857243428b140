/** Returns the parameters of a path that names a workload. */
export function workloadParams(key: string): Readonly<Record<"cluster" | "namespace" | "kind" | "name", string>> {
  const [cluster = "", namespace = "", kind = "", name = ""] = key.split("/");
  return { cluster, namespace, kind, name };
}
