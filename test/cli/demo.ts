import type { WorkloadsView } from "#contracts/api/workloads";
import { epochMs } from "#domain/shared/time";
import { openDemo } from "#runtime/local/demo-server";
import { factStream } from "#runtime/local/fact-stream";
import { httpFace } from "#runtime/local/http";
import { openShell } from "#runtime/local/shell";
import { stateInMemory } from "#test/state";
import { lookout, type Outcome, type Surroundings } from "./world.ts";

const address = "http://127.0.0.1:4040";
const token = "the token of this test";
/** A Saturday, ten hours before the window of shop/web opens. */
const begins = Date.parse("2026-11-21T12:00:00Z");

/** The demo's process, and the command that talks to it. */
export interface RunningDemo {
  readonly lookout: (typed: readonly string[], surroundings?: Surroundings) => Promise<Outcome>;
  /** Resolves when a workload of the demo has no active update, is in a state, and runs a tag: `up-to-date 1.3.0`. */
  readonly comes: (workload: string, stateAndTag: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the demo without a socket, with its state in memory. */
export async function runDemo(): Promise<RunningDemo> {
  const offset = begins - Date.now();
  const clock = { now: () => epochMs(Date.now() + offset) };
  const demo = openDemo(clock);
  const facts = factStream();
  const log = { outcome: () => undefined, failure: () => undefined };
  const ports = { clock, ...stateInMemory(), ...demo };
  const shell = openShell({ ports, receivers: demo.receivers, log, onFact: facts.publish });
  await shell.start();
  const app = httpFace({
    ...{ shell, token, log, settings: () => ({ settings: [] }), facts },
    demoPush: demo.pushTo(shell),
  });
  const fetch = (url: string, request: RequestInit): Promise<Response> =>
    Promise.resolve(app.request(url.replace(address, ""), request));
  const list = async (query = ""): Promise<WorkloadsView> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await (await fetch(`/v1/workloads${query}`, { headers })).json()) as WorkloadsView;
  };
  const until = async (isDone: (view: WorkloadsView) => boolean, query = ""): Promise<void> => {
    for (const end = Date.now() + 20_000; !isDone(await list(query));) {
      if (Date.now() > end) throw new Error("the demo did not come there in time");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await until(({ workloads }) => workloads.length === demo.world.workloads);
  return {
    lookout: (typed, surroundings) =>
      lookout(
        typed,
        {},
        {
          environment: { LOOKOUT_SERVER: address, LOOKOUT_TOKEN: token, USER: "ana" },
          fetch,
          now: clock.now,
          timeZone: "UTC",
          ...surroundings,
        },
      ),
    // The rows of the list follow the history, which follows the record.
    comes: (name, stateAndTag) =>
      until(
        ({ rows }) =>
          rows.some(
            ({ workload, state, runs }) =>
              workload === `demo/${name}` && `${state} ${runs[0]?.tag ?? ""}` === stateAndTag,
          ),
        "?view=row",
      ),
    stop: async () => {
      facts.end();
      await shell.stop(1_000);
    },
  };
}
