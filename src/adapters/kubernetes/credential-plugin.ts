import * as z from "zod";
import { parseJson } from "#domain/shared/json";
import { printableText, shortened } from "#domain/shared/shown-text";
import { runProgram } from "../shared/program.ts";
import { memoizeFor } from "../shared/memoize-for.ts";

/** A credential of a plugin: a token, a certificate, or both. */
export interface PluginCredential {
  readonly kind: "credential";
  readonly token: string | undefined;
  /** The client certificate with its key, in PEM. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  /**
   * The expiry that the plugin states. Absent if the credential is valid until the server rejects
   * it.
   */
  readonly expiresAt: Date | undefined;
  readonly goodForMs: number;
}

/**
 * The answer of a credential plugin. `text` is for messages, and quotes no output of the plugin.
 */
export type PluginAnswer = PluginCredential | { readonly kind: "problem"; readonly text: string };

/** The pause after a plugin hangs or fails. */
const pauseMs = 30_000;

/**
 * The field `exec` of a kubeconfig's user. @see
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
const execSchema = z.object({
  apiVersion: z.string().nullish(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  provideClusterInfo: z.boolean().nullish(),
  installHint: z.string().nullish(),
});

/** Returns the field `spec.cluster` of the plugin's input. Reads the certificate authority's file. */
export type PluginCluster = () => Readonly<Record<string, unknown>>;

const answerSchema = z.object({
  status: z.object({
    token: z.string().min(1).nullish(),
    clientCertificateData: z.string().min(1).nullish(),
    clientKeyData: z.string().min(1).nullish(),
    expirationTimestamp: z.coerce.date().nullish(),
  }),
});

/**
 * Returns a function that runs the credential plugin of a kubeconfig's user. Concurrent callers
 * share one run, whose answer is cached while it is valid. `afresh` skips the cache, after the
 * server rejected the answer.
 *
 * @param timeoutMs - the time limit of a run.
 * @see https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
 */
export function credentialPlugin(
  exec: unknown,
  timeoutMs = 10_000,
  cluster: PluginCluster = () => ({}),
): (afresh: boolean) => Promise<PluginAnswer> {
  return memoizeFor(() => ask(exec, timeoutMs, cluster), {
    keptMs: (answer) => (answer.kind === "problem" ? pauseMs : answer.goodForMs),
    freshMs: 0,
    monotonicMs: () => performance.now(),
  });
}

async function ask(exec: unknown, timeoutMs: number, cluster: PluginCluster): Promise<PluginAnswer> {
  const given = execSchema.safeParse(exec).data;
  if (given === undefined) return { kind: "problem", text: "the credential plugin names no command" };
  const { command, args, env, apiVersion, provideClusterInfo, installHint } = given;
  const info = { apiVersion: apiVersion ?? "client.authentication.k8s.io/v1", kind: "ExecCredential" };
  const environment = {
    ...process.env,
    ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    // No user is present to answer a question.
    KUBERNETES_EXEC_INFO: JSON.stringify({
      ...info,
      spec: { interactive: false, ...(provideClusterInfo === true && { cluster: cluster() }) },
    }),
  };
  const end = await runProgram({ program: command, arguments: args ?? [], environment, input: "", timeoutMs });
  const plugin = `the credential plugin ${command}`;
  if (end.kind === "unusable") return { kind: "problem", text: `${plugin} ${end.text}${hintOf(installHint)}` };
  if (end.kind === "hangs") return { kind: "problem", text: `${plugin} ${end.text}` };
  if (end.failure !== undefined) return { kind: "problem", text: `${plugin} failed (${end.failure})` };
  return (
    readAnswer(end.output) ?? { kind: "problem", text: `${plugin} answered without a token and without a certificate` }
  );
}

/** Returns the plugin's hint for its installation, as the end of a sentence. */
function hintOf(installHint: string | null | undefined): string {
  const hint = shortened(printableText((installHint ?? "").trim()), 300);
  return hint === "" ? "" : `: ${hint}`;
}

function readAnswer(output: string): PluginCredential | undefined {
  const status = answerSchema.safeParse(parseJson(output)).data?.status;
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {};
  const certificate = cert && key ? { cert, key } : undefined;
  if (!token && certificate === undefined) return undefined;
  const expiresAt = expirationTimestamp ?? undefined;
  const goodForMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt.getTime() - Date.now();
  return { kind: "credential", token: token ?? undefined, certificate, expiresAt, goodForMs };
}
