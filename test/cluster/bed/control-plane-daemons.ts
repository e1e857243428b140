import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";

import { auditLogOf, certificateOf, kubeconfigPath, serverOf } from "./control-plane-place.ts";
import type { Place } from "./control-plane-place.ts";
import { startDaemon } from "./processes.ts";
import type { Daemon } from "./processes.ts";
import { programPath } from "./programs.ts";
import { until } from "./until.ts";

const configuration = join(import.meta.dirname, "kubernetes");

function start(place: Place, program: Parameters<typeof programPath>[0], flags: readonly string[]): Promise<Daemon> {
  return startDaemon({
    program: programPath(program),
    arguments: flags,
    log: join(place.folder, `${program}.log`),
    folder: place.folder,
  });
}

export function startEtcd(place: Place): Promise<Daemon> {
  const client = `http://127.0.0.1:${place.etcdPort}`;
  const peer = `http://127.0.0.1:${place.etcdPeerPort}`;
  return start(place, "etcd", [
    "--data-dir=etcd",
    "--unsafe-no-fsync",
    "--log-level=warn",
    "--name=etcd",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=etcd=${peer}`,
  ]);
}

const tokenWebhookFlags = [
  "--authentication-token-webhook-config-file=token-webhook.kubeconfig",
  "--authentication-token-webhook-version=v1",
];

export async function startApiServer(place: Place): Promise<Daemon> {
  const daemon = await start(place, "kube-apiserver", [
    `--etcd-servers=http://127.0.0.1:${place.etcdPort}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${place.port}`,
    "--endpoint-reconciler-type=none",
    "--cert-dir=certificates",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-account-key-file=service-accounts.key",
    "--service-account-signing-key-file=service-accounts.key",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--authorization-mode=RBAC",
    // Most clusters allow privileged pods, and leave the decision to admission.
    "--allow-privileged=true",
    "--token-auth-file=tokens.csv",
    `--audit-policy-file=${join(configuration, "audit-policy.yaml")}`,
    `--audit-log-path=${auditLogOf(place)}`,
    "--audit-log-maxsize=100",
    "--audit-log-maxbackup=2",
    ...(place.asksTokenWebhook ? tokenWebhookFlags : []),
  ]);
  try {
    await until(
      "the API server is ready",
      async () => {
        await daemon.assertRunning();
        return (await isReady(place)) || undefined;
      },
      { timeoutMs: 120_000 },
    );
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return daemon;
}

async function isReady(place: Place): Promise<boolean> {
  const authority = await readFile(certificateOf(place));
  return new Promise((resolve, reject) => {
    const probe = request(`${serverOf(place)}/readyz`, { ca: authority, agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    probe.once("timeout", () => probe.destroy(new Error("no answer from /readyz within 2 s")));
    probe.once("error", reject);
    probe.end();
  });
}

export function startControllers(place: Place): Promise<Daemon> {
  return start(place, "kube-controller-manager", [
    `--kubeconfig=${kubeconfigPath(place, "controllers")}`,
    "--secure-port=0",
    "--leader-elect=false",
    "--use-service-account-credentials=true",
    "--service-account-private-key-file=service-accounts.key",
    `--root-ca-file=${certificateOf(place)}`,
    "--kube-api-qps=500",
    "--kube-api-burst=1000",
    "--concurrent-deployment-syncs=10",
    // Without this, nodes count as lost after an outage of the API server, and kwok never makes
    // their pods ready again.
    "--node-monitor-grace-period=1h",
  ]);
}

export function startScheduler(place: Place): Promise<Daemon> {
  return start(place, "kube-scheduler", [
    `--kubeconfig=${kubeconfigPath(place, "scheduler")}`,
    "--secure-port=0",
    "--leader-elect=false",
    "--kube-api-qps=500",
    "--kube-api-burst=1000",
  ]);
}

export function startKubelets(place: Place): Promise<Daemon> {
  return start(place, "kwok", [
    `--kubeconfig=${kubeconfigPath(place, "kwok")}`,
    `--config=${join(configuration, "stages.yaml")}`,
    "--manage-all-nodes=true",
    "--cidr=10.244.0.1/16",
    "--node-ip=10.0.0.1",
    "--node-lease-duration-seconds=40",
  ]);
}
