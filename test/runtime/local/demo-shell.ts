import { epochMs } from "#domain/shared/time";
import { type Demo, openDemo } from "#runtime/local/demo-server";
import { factStream } from "#runtime/local/fact-stream";
import type { HttpOptions } from "#runtime/local/http";
import { openShell, type Shell } from "#runtime/local/shell";
import { stateInMemory } from "#test/state";

/** The token of the API of {@link demoShell}. */
export const token = "the token of this test";

/** Opens the process of the demo, with its state in memory, and the options of its HTTP server. */
export function demoShell(): { readonly shell: Shell; readonly demo: Demo; readonly http: HttpOptions } {
  const clock = { now: () => epochMs(Date.now()) };
  const demo = openDemo(clock);
  const log = { outcome: () => undefined, failure: () => undefined };
  const ports = { clock, ...stateInMemory(), ...demo };
  const shell = openShell({ ports, receivers: demo.receivers, log, onFact: () => undefined });
  return { shell, demo, http: { shell, token, log, settings: () => ({ settings: [] }), facts: factStream() } };
}
