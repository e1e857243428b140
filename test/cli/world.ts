import { run } from "#cli/program";
import type { World } from "#cli/world";
import type { WorkloadsView } from "#contracts/api/workloads";
import { problemOf } from "#contracts/problem";
import { epochMs } from "#domain/shared/time";
import { listed } from "./listed.ts";

/** Saturday, 19:45:53 in Berlin. */
export const now = epochMs(Date.parse("2026-11-21T18:45:53Z"));

/** What the server answers to `GET /v1/workloads`, and so on; anything else is 404. */
export type Answers = Readonly<
  Record<string, { readonly status?: number; readonly body: unknown; readonly type?: string } | Error>
>;

/** A request as the server got it. */
export interface Asked {
  readonly what: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** What a run of the command left behind. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: readonly Asked[];
}

/** What a test says of the surroundings. */
export type Surroundings = Partial<Omit<World, "stdout" | "stderr" | "stdin">> & {
  readonly stdin?: () => AsyncIterable<string | Uint8Array>;
};

async function* nothing(): AsyncGenerator<string> {
  // Nothing is piped in.
}

/**
 * Runs the command against answers, in Berlin, without a terminal, with the server named by the
 * environment.
 */
export async function lookout(
  typed: readonly string[],
  answers: Answers,
  { stdin = nothing, ...surroundings }: Surroundings = {},
): Promise<Outcome> {
  const [stdout, stderr, asked]: [string[], string[], Asked[]] = [[], [], []];
  const exitCode = await run(typed, {
    environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", LOOKOUT_TOKEN: "secret", USER: "ana" },
    cwd: "/nowhere",
    now: () => now,
    fetch: async (url, request) => {
      const { method = "GET", headers, body } = request;
      const what = `${method} ${url.replace("http://127.0.0.1:4040", "")}`;
      const authorization = new Headers(headers).get("authorization") ?? undefined;
      asked.push({ what, authorization, body: typeof body === "string" ? JSON.parse(body) : undefined });
      const answer = answers[what] ?? listAnswer(answers, what) ?? { status: 404, body: notFound(what) };
      if (answer instanceof Error) throw answer;
      const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
      return new Response(text, {
        status: answer.status ?? 200,
        ...(answer.type === undefined ? {} : { headers: { "content-type": answer.type } }),
      });
    },
    interrupted: () => new AbortController().signal,
    outputClosed: () => new AbortController().signal,
    async *stdin() {
      for await (const piece of stdin()) yield Buffer.from(piece);
    },
    pause: async () => undefined,
    columns: undefined,
    isTerminal: false,
    isErrorTerminal: false,
    timeZone: "Europe/Berlin",
    ...surroundings,
    stdout: { write: (text: string) => stdout.push(text) },
    stderr: { write: (text: string) => stderr.push(text) },
  });
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join(""), asked };
}

/** Answers a query of the list of workloads from the whole list. */
function listAnswer(answers: Answers, what: string): Answers[string] | undefined {
  const [path = "", query] = what.split("?");
  const whole = answers[path];
  if (path !== "GET /v1/workloads" || query === undefined || whole === undefined || whole instanceof Error)
    return whole;
  const isList = Array.isArray((whole.body as Partial<WorkloadsView>).workloads);
  return isList ? { ...whole, body: listed(whole.body as WorkloadsView, new URLSearchParams(query)) } : whole;
}

/** The body of a 404 of Lookout's. */
export function notFound(what: string): unknown {
  return problemOf("not-found", `there is no ${what}`);
}

/** Joins lines as they are printed. */
export function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
