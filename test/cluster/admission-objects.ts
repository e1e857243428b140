import type { BuiltInKind } from "#domain/workload/kinds";

const resources = {
  Deployment: "/apis/apps/v1/namespaces/default/deployments",
  StatefulSet: "/apis/apps/v1/namespaces/default/statefulsets",
  DaemonSet: "/apis/apps/v1/namespaces/default/daemonsets",
  CronJob: "/apis/batch/v1/namespaces/default/cronjobs",
} as const;

/** Returns the API path of a kind's objects. */
export const pathOf = (kind: BuiltInKind): string => resources[kind];

/** A workload for test writes. */
export interface TriedObject {
  readonly apiVersion: string;
  readonly kind: BuiltInKind;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** Returns a manifest with an example of every field that a test write changes. */
export function manifestOf(kind: BuiltInKind, name: string): TriedObject {
  const template = {
    metadata: { labels: { app: name }, annotations: { note: "kept" } },
    spec: {
      initContainers: [
        { name: "migrate", image: "shop/migrate:1" },
        { name: "sidecar", image: "nginx:1.27", restartPolicy: "Always" },
      ],
      containers: [
        { name: "app", image: "registry.test:5000/shop/app:1.0.0", env: [{ name: "MODE", value: "live" }] },
        { name: "proxy", image: "nginx:1.27" },
      ],
      volumes: [
        { name: "data", emptyDir: {} },
        { name: "model", image: { reference: "registry.test/shop/model:1", pullPolicy: "IfNotPresent" } },
      ],
    },
  };
  const metadata = {
    name,
    labels: { app: name, team: "shop" },
    annotations: { "lookout.dev/enabled": "true", "lookout.dev/policy": "semver" },
  };
  return {
    apiVersion: kind === "CronJob" ? "batch/v1" : "apps/v1",
    kind,
    metadata,
    spec: specOf(kind, name, template),
  };
}

function specOf(kind: BuiltInKind, name: string, template: { readonly spec: object }): object {
  const selector = { matchLabels: { app: name } };
  switch (kind) {
    case "Deployment":
      return { replicas: 0, selector, template };
    case "StatefulSet":
      return { replicas: 0, serviceName: name, selector, template };
    case "DaemonSet":
      return { selector, template };
    case "CronJob": {
      const pod = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
      return { schedule: "0 0 29 2 *", suspend: false, jobTemplate: { spec: { template: pod } } };
    }
  }
}
