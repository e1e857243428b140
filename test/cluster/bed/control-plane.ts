import { rm } from "node:fs/promises";

import { startApiServer, startControllers, startEtcd, startKubelets, startScheduler } from "./control-plane-daemons.ts";
import {
  auditLogOf,
  certificateOf,
  choosePlace,
  kubeconfigPath,
  serverOf,
  writeKubeconfigs,
} from "./control-plane-place.ts";
import type { Place, User } from "./control-plane-place.ts";
import { run } from "./processes.ts";
import type { Daemon } from "./processes.ts";
import { programPath } from "./programs.ts";

/** A word of the command line, or the text of standard input. */
export type KubectlArgument = string | { readonly input: string };

export interface ControlPlane {
  /** The address of the API server: `https://127.0.0.1:PORT`. */
  readonly server: string;
  /** The path of the PEM file with the API server's certificate authority. */
  readonly certificateAuthority: string;
  readonly tokens: Readonly<Record<User, string>>;
  /** The path of the admin's kubeconfig. */
  readonly kubeconfig: string;
  /** Returns the path of a user's kubeconfig. */
  kubeconfigFor(user: User): string;
  /**
   * The path of the audit log: one JSON event per line. Only writes to apps and batch have bodies.
   */
  readonly auditLog: string;
  /**
   * Runs kubectl and returns its standard output. The user is the admin, except with
   * `--kubeconfig`.
   */
  kubectl(...programArguments: readonly KubectlArgument[]): Promise<string>;
  /** Applies manifests as YAML text or objects. */
  apply(manifest: string | readonly object[]): Promise<void>;
  /** Kills the API server. Connections are refused, and all objects are kept. */
  stopApiServer(): Promise<void>;
  /** Starts the API server again at the same address and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Ends every process and deletes the state. */
  stop(): Promise<void>;
}

/**
 * Starts a Kubernetes control plane with simulated nodes on 127.0.0.1 and waits until the nodes are
 * Ready.
 *
 * Several control planes may run at once. They end with the calling process.
 *
 * @param options - `controllers: false` leaves out controllers, scheduler and nodes, so that nobody
 * but the test writes to an object. `tokenWebhook`: URL of a server that is asked who bears a token
 * that the API server does not know itself.
 */
export async function startControlPlane(
  options: {
    readonly port?: number;
    readonly nodes?: number;
    readonly controllers?: boolean;
    readonly tokenWebhook?: string;
  } = {},
): Promise<ControlPlane> {
  const place = await choosePlace(options);
  const daemons: Daemon[] = [];
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await rm(place.folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    daemons.push(await startEtcd(place));
    let apiServer = await startApiServer(place);
    daemons.push(apiServer);
    await writeKubeconfigs(place);
    const kubectl = kubectlFor(place);
    const apply = applyWith(kubectl);
    if (options.controllers !== false) {
      daemons.push(...(await Promise.all([startControllers(place), startScheduler(place), startKubelets(place)])));
      await createNodes(options.nodes ?? 3, kubectl, apply);
    }

    return {
      server: serverOf(place),
      certificateAuthority: certificateOf(place),
      tokens: { admin: place.tokens.admin, lookout: place.tokens.lookout, nobody: place.tokens.nobody },
      kubeconfig: kubeconfigPath(place, "admin"),
      kubeconfigFor: (user) => kubeconfigPath(place, user),
      auditLog: auditLogOf(place),
      kubectl,
      apply,
      stopApiServer: () => apiServer.stop(),
      async startApiServer() {
        await apiServer.stop();
        apiServer = await startApiServer(place);
        daemons.push(apiServer);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function kubectlFor(place: Place): ControlPlane["kubectl"] {
  const program = programPath("kubectl");
  return (...programArguments) => {
    const words = programArguments.filter((argument) => typeof argument === "string");
    const input = programArguments.find((argument) => typeof argument === "object")?.input ?? "";
    const environment = {
      KUBECONFIG: kubeconfigPath(place, "admin"),
      HOME: place.folder, // kubectl's cache is separate from the user's own clusters
    };
    return run(program, words, { input, environment });
  };
}

function applyWith(kubectl: ControlPlane["kubectl"]): ControlPlane["apply"] {
  return async (manifest) => {
    const input =
      typeof manifest === "string" ? manifest : JSON.stringify({ apiVersion: "v1", kind: "List", items: manifest });
    await kubectl("apply", "--filename", "-", { input });
  };
}

async function createNodes(
  count: number,
  kubectl: ControlPlane["kubectl"],
  apply: ControlPlane["apply"],
): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: `node-${index}`,
      labels: {
        "kubernetes.io/hostname": `node-${index}`,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
      },
    },
  }));
  await apply(nodes);
  await kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
  // Without the service account, no pod can be created in the namespace.
  await kubectl("wait", "--for=create", "serviceaccount/default", "--namespace=default", "--timeout=120s");
}
