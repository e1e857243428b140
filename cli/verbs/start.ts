import { resolve } from "node:path";
import { type AddVerb, choice, styleOf, withExamples } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import type { StartOptions } from "#runtime/local/start";
import type { World } from "../world.ts";

interface Flags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly config?: string;
  readonly data?: string;
  readonly listen?: string;
  readonly observe?: true;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly output?: "text" | "json";
}

/** `lookout start` */
export const addStart: AddVerb = (program, { world, setExitCode }) => {
  const command = program
    .command("start")
    .description(
      "run Lookout in this process until Ctrl-C; without a cluster, run the demo (in a pod: the cluster of the pod)",
    )
    .option("--kubeconfig <file>", "the kubeconfig of your cluster")
    .option("--context <name>", "the context in the kubeconfig (default: the current context)")
    .option("--config <file>", "the path of lookout.yaml with clusters, receivers and registries")
    .option("--data <folder>", "the state folder (LOOKOUT_DATA; default: ./.lookout)")
    .option("--listen <host:port>", "the address of the API and the webhooks")
    .option("--observe", "decide about updates, and write to no cluster (default: mode in lookout.yaml)")
    .option("--cert-file <file>", "the certificate for HTTPS, in PEM; needs --key-file")
    .option("--key-file <file>", "the private key of the certificate, in PEM")
    .addOption(
      choice("-o, --output <format>", "the format of the events (default: text on a terminal, else json)", [
        "text",
        "json",
      ]),
    )
    .action(async (flags: Flags) => {
      const options = startOptions(flags, world);
      const { startLocal } = await import("#runtime/local/start");
      setExitCode(await startLocal({ ...options, isPlain: !styleOf(world).colour }, world.outputClosed()));
    });
  withExamples(command, [
    ["lookout start", "run the demo, with a built-in cluster and registry"],
    ["lookout cluster add prod --context prod-admin", "first give Lookout its own account in your cluster"],
    ["lookout start --kubeconfig ~/.kube/config --context kind", "run with your cluster"],
    ["lookout start --kubeconfig ~/.kube/config --observe", "see what would change, and change nothing"],
    ["lookout start --config lookout.yaml --listen 127.0.0.1:4141", "run with your fleet"],
  ]);
};

/** Returns the options of a local Lookout, with absolute paths. */
export function startOptions(flags: Flags, { cwd, isTerminal }: Pick<World, "cwd" | "isTerminal">): StartOptions {
  const { kubeconfig, context, config, data, listen, certFile, keyFile, observe, output } = flags;
  if (listen !== undefined && !isAddress(listen))
    throw new Failure(exitCodes.wrongInput, `--listen "${listen}" is not an address: expected host:port.`, [
      "For example: 127.0.0.1:4040",
    ]);
  const path = (file: string | undefined) => (file === undefined ? undefined : resolve(cwd, file));
  return {
    ...given("kubeconfig", path(kubeconfig)),
    ...given("context", context),
    ...given("config", path(config)),
    ...given("dataDir", path(data)),
    ...given("listen", listen),
    ...given("observe", observe),
    ...given("certFile", path(certFile)),
    ...given("keyFile", path(keyFile)),
    output: output ?? (isTerminal ? "text" : "json"),
  };
}

/** Returns an option, or nothing for an absent flag. */
function given<Key extends keyof StartOptions>(key: Key, value: StartOptions[Key] | undefined): Partial<StartOptions> {
  return value === undefined ? {} : { [key]: value };
}

function isAddress(text: string): boolean {
  const port = /^(?:\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d{1,5})$/i.exec(text)?.[1];
  return port !== undefined && Number(port) <= 65_535;
}
