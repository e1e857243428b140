import * as z from "zod";
import { parseJson } from "#domain/shared/json";
import { type ProgramEnd, runProgram } from "../shared/program.ts";
import { memoizeFor } from "../shared/memoize-for.ts";
import type { Credential } from "./credentials.ts";

/** What a credential helper says of a registry. `text` says to people what is wrong and what to do; nothing that it printed is in it. */
export type HelperAnswer =
  | { readonly kind: "credential"; readonly credential: Credential }
  | { readonly kind: "none"; readonly text: string }
  /** `hangs`: it may be better the next time. */
  | { readonly kind: "trouble"; readonly hangs: boolean; readonly text: string };

/** Asks the helper `docker-credential-<name>` for the login of a host. Afresh: the registry refused the last answer. */
export type AskHelper = (name: string, host: string, afresh: boolean) => Promise<HelperAnswer>;

/** What helpers are run with. */
export interface HelperSurroundings {
  /** Handed on to the helpers as it is; they are looked for on its `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long a helper may take; 10 s. */
  readonly timeoutMs?: number;
  /** A clock that never goes back. */
  readonly monotonicMs?: () => number;
}

/** An answer may expire before; then the registry refuses it, and the helper is asked again. */
const answerKeptMs = 5 * 60_000;
/** A helper that hangs or fails is left alone for this long, and so is one whose answer is refused again and again. */
const pauseMs = 30_000;

/** Under which Docker Hub's login is kept, whatever name it is asked by. */
const dockerHubServer = "https://index.docker.io/v1/";
const notFound = "credentials not found in native keychain";
const identityTokenUser = "<token>";

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/**
 * Runs docker's credential helpers. Requests for one host share one run, and its answer for five minutes; no host waits for another's.
 *
 * @see https://github.com/docker/docker-credential-helpers#development (the protocol of `get`)
 */
export function credentialHelpers({ environment, timeoutMs = 10_000, monotonicMs }: HelperSurroundings): AskHelper {
  const asked = new Map<string, (afresh: boolean) => Promise<HelperAnswer>>();
  return (name, host, afresh) => {
    const key = `${name} ${host}`;
    const ask =
      asked.get(key) ??
      memoizeFor(() => runHelper(name, host, environment, timeoutMs), {
        keptMs: ({ kind }) => (kind === "trouble" ? pauseMs : answerKeptMs),
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
  environment: HelperSurroundings["environment"],
  timeoutMs: number,
): Promise<HelperAnswer> {
  const server = host === "docker.io" ? dockerHubServer : host;
  const program = `docker-credential-${name}`;
  const end = await runProgram({ program, arguments: ["get"], environment, input: server, timeoutMs });
  const byHand = `run it by hand: echo ${server} | ${program} get`;
  if (end.kind === "ended") return answerOf(end, program, byHand);
  const text =
    end.text === "is not there" ? `${program} is not on PATH: install it` : `${program} ${end.text}: ${byHand}`;
  return { kind: "trouble", hangs: end.kind === "hangs", text };
}

function answerOf(
  { output, failure }: Extract<ProgramEnd, { kind: "ended" }>,
  program: string,
  byHand: string,
): HelperAnswer {
  const none = { kind: "none", text: `${program} has no login for it: log in, or ${byHand}` } as const;
  if (failure !== undefined) {
    if (output.trim() === notFound) return none;
    return { kind: "trouble", hangs: false, text: `${program} failed (${failure}): ${byHand}` };
  }
  const answer = answerSchema.safeParse(parseJson(output)).data;
  if (answer === undefined) {
    return { kind: "trouble", hangs: false, text: `${program} answered without Username and Secret: ${byHand}` };
  }
  const { Username: username, Secret: secret } = answer;
  if (username === "" || secret === "") return none;
  const credential = username === identityTokenUser ? { token: secret } : { username, password: secret };
  return { kind: "credential", credential };
}
