/** A manifest of a workload in the namespace `default`, with one container called `app`. */
export interface WorkloadManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

function podTemplate(name: string, image: string): object {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image }] } };
}

export function deploymentManifest(name: string, image: string, replicas = 3): WorkloadManifest {
  const spec = { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name, image) };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

export function statefulSetManifest(name: string, image: string, replicas = 3): WorkloadManifest {
  const spec = {
    replicas,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: podTemplate(name, image),
  };
  return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name }, spec };
}

export function daemonSetManifest(name: string, image: string): WorkloadManifest {
  const spec = { selector: { matchLabels: { app: name } }, template: podTemplate(name, image) };
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name }, spec };
}

/** Returns the manifest of a CronJob that starts no Job during a test. */
export function cronJobManifest(name: string, image: string): WorkloadManifest {
  const pod = { restartPolicy: "Never", containers: [{ name: "app", image }] };
  const spec = { schedule: "0 0 29 2 *", jobTemplate: { spec: { template: { spec: pod } } } };
  return { apiVersion: "batch/v1", kind: "CronJob", metadata: { name }, spec };
}
