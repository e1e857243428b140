import * as z from "zod";
import { parseJson } from "#domain/shared/json";
import { type ProgramEnd, runProgram } from "../shared/program.ts";
import { memoizeFor } from "../shared/memoize-for.ts";
import type { Credential } from "./credentials.ts";

/** A credential helper's answer. `text` describes the problem, without the helper's output. */
export type HelperAnswer =
  | { readonly kind: "credential"; readonly credential: Credential }
  | { readonly kind: "none"; readonly text: string }
  /** `hangs` is true when a retry may help. */
  | { readonly kind: "failed"; readonly hangs: boolean; readonly text: string };

/**
 * Reads a host's login from the helper `docker-credential-<name>`. `afresh` is true when the
 * registry rejected the last login.
 */
export type AskHelper = (name: string, host: string, afresh: boolean) => Promise<HelperAnswer>;

/** The options of the credential helpers. */
export interface HelperOptions {
  /** The helpers' environment. Its `PATH` locates the helpers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time limit of one run. Default: 10 s. */
  readonly timeoutMs?: number;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

/**
 * The cache time of a login. The registry rejects an expired login, and the helper then runs again.
 */
const answerKeptMs = 5 * 60_000;
/** The pause after a failure, and between two runs after rejected logins. */
const pauseMs = 30_000;

/** The key of Docker Hub's login in helpers. */
const dockerHubServer = "https://index.docker.io/v1/";
const notFound = "credentials not found in native keychain";
const identityTokenUser = "<token>";

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/**
 * Returns a function that runs docker's credential helpers. Requests for one host share a run, and
 * its answer is cached for five minutes.
 *
 * @see https://github.com/docker/docker-credential-helpers#development (the protocol of `get`)
 */
export function credentialHelpers({ environment, timeoutMs = 10_000, monotonicMs }: HelperOptions): AskHelper {
  const asked = new Map<string, (afresh: boolean) => Promise<HelperAnswer>>();
  return (name, host, afresh) => {
    const key = `${name} ${host}`;
    const ask =
      asked.get(key) ??
      memoizeFor(() => runHelper(name, host, environment, timeoutMs), {
        keptMs: ({ kind }) => (kind === "failed" ? pauseMs : answerKeptMs),
        freshMs: pauseMs,
        monotonicMs: monotonicMs ?? (() => performance.now()),
      });
    asked.set(key, ask);
    return ask(afresh);
  };
}

async function runHelper(
  name: string,
  host: string,
  environment: HelperOptions["environment"],
  timeoutMs: number,
): Promise<HelperAnswer> {
  const server = host === "docker.io" ? dockerHubServer : host;
  const program = `docker-credential-${name}`;
  const end = await runProgram({ program, arguments: ["get"], environment, input: server, timeoutMs });
  const byHand = `run it by hand: echo ${server} | ${program} get`;
  if (end.kind === "ended") return answerOf(end, program, byHand);
  const text =
    end.text === "was not found" ? `${program} is not on PATH: install it` : `${program} ${end.text}: ${byHand}`;
  return { kind: "failed", hangs: end.kind === "hangs", text };
}

function answerOf(
  { output, failure }: Extract<ProgramEnd, { kind: "ended" }>,
  program: string,
  byHand: string,
): HelperAnswer {
  const none = { kind: "none", text: `${program} has no login for this registry: log in, or ${byHand}` } as const;
  if (failure !== undefined) {
    if (output.trim() === notFound) return none;
    return { kind: "failed", hangs: false, text: `${program} failed (${failure}): ${byHand}` };
  }
  const answer = answerSchema.safeParse(parseJson(output)).data;
  if (answer === undefined) {
    return { kind: "failed", hangs: false, text: `${program} answered without Username and Secret: ${byHand}` };
  }
  const { Username: username, Secret: secret } = answer;
  if (username === "" || secret === "") return none;
  const credential = username === identityTokenUser ? { token: secret } : { username, password: secret };
  return { kind: "credential", credential };
}
