import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePorts } from "./ports.ts";

/**
 * A user of the control plane. `admin` has all rights. `lookout` and `nobody` have none until a
 * test binds a role.
 */
export type User = "admin" | "lookout" | "nobody";

/** The folder, the ports on 127.0.0.1 and the users of one control plane. */
export interface Place {
  readonly folder: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly tokens: Readonly<Record<User | "kwok" | "controllers" | "scheduler", string>>;
  /** True: the API server checks tokens with `token-webhook.kubeconfig` in the folder. */
  readonly asksTokenWebhook: boolean;
}

const users = ["admin", "lookout", "nobody"] as const;

export async function choosePlace({
  port: wantedPort,
  tokenWebhook,
}: {
  readonly port?: number;
  readonly tokenWebhook?: string;
}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-control-plane-"));
  const [freePort = 0, etcdPort = 0, etcdPeerPort = 0] = await freePorts(3);
  const token = () => randomBytes(16).toString("hex");
  const tokens = {
    admin: token(),
    lookout: token(),
    nobody: token(),
    kwok: token(),
    controllers: token(),
    scheduler: token(),
  };
  await writeFile(
    join(folder, "tokens.csv"),
    [
      `${tokens.admin},admin,admin,"system:masters"`,
      `${tokens.lookout},lookout,lookout`,
      `${tokens.nobody},nobody,nobody`,
      `${tokens.kwok},kwok,kwok,"system:masters"`,
      `${tokens.controllers},system:kube-controller-manager,controllers`,
      `${tokens.scheduler},system:kube-scheduler,scheduler`,
      "",
    ].join("\n"),
    { mode: 0o600 },
  );
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(join(folder, "service-accounts.key"), privateKey.export({ type: "sec1", format: "pem" }), {
    mode: 0o600,
  });
  if (tokenWebhook !== undefined) await writeWebhookKubeconfig(join(folder, "token-webhook.kubeconfig"), tokenWebhook);
  return {
    ...{ folder, port: wantedPort ?? freePort, etcdPort, etcdPeerPort, tokens },
    asksTokenWebhook: tokenWebhook !== undefined,
  };
}

async function writeWebhookKubeconfig(path: string, server: string): Promise<void> {
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "webhook", cluster: { server } }],
    contexts: [{ name: "webhook", context: { cluster: "webhook" } }],
    "current-context": "webhook",
  };
  await writeFile(path, JSON.stringify(kubeconfig));
}

export function serverOf(place: Place): string {
  return `https://127.0.0.1:${place.port}`;
}

/**
 * Returns the path of the API server's certificate, which also contains its authority. The server
 * makes it at its first start.
 */
export function certificateOf(place: Place): string {
  return join(place.folder, "certificates", "apiserver.crt");
}

export function auditLogOf(place: Place): string {
  return join(place.folder, "audit.log");
}

export function kubeconfigPath(place: Place, user: keyof Place["tokens"]): string {
  return join(place.folder, `${user}.kubeconfig`);
}

export async function writeKubeconfigs(place: Place): Promise<void> {
  const authority = await readFile(certificateOf(place), "base64");
  for (const user of [...users, "kwok", "controllers", "scheduler"] as const) {
    // JSON is YAML too.
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test-bed", cluster: { server: serverOf(place), "certificate-authority-data": authority } }],
      users: [{ name: user, user: { token: place.tokens[user] } }],
      contexts: [{ name: "test-bed", context: { cluster: "test-bed", user } }],
      "current-context": "test-bed",
    };
    await writeFile(kubeconfigPath(place, user), JSON.stringify(kubeconfig, undefined, 2), { mode: 0o600 });
  }
}
