import { describe, expect, it } from "vitest";
import { RegistryFactView } from "#contracts/api/process";
import { registryFactOf, registryFactView } from "#contracts/messages/fact-view";
import { eventsIn } from "#cli/event-stream";
import type { RegistryFact } from "#domain/registry/outage";
import { epochMs, minutes, plus } from "#domain/shared/time";
import { factStream } from "#runtime/local/fact-stream";
import { localBus } from "#runtime/local/messaging";
import { reporter } from "#runtime/local/reporter";

const since = epochMs(Date.parse("2026-11-21T09:56:12.345Z"));
const unreachable: RegistryFact = {
  name: "RegistryUnreachable",
  id: `registry.test/${since}/RegistryUnreachable`,
  registry: "registry.test",
  since,
  at: since,
  detail: "registry.test could not be reached (ECONNREFUSED)",
};
const recovered: RegistryFact = {
  ...unreachable,
  name: "RegistryRecovered",
  id: `registry.test/${since}/RegistryRecovered`,
  at: plus(since, minutes(4)),
};

function reported(output: "text" | "json", ...facts: readonly RegistryFact[]) {
  const out: string[] = [];
  const err: string[] = [];
  const tell = reporter({
    output,
    clusters: () => 1,
    colour: false,
    timeZone: "Europe/Berlin",
    write: (line) => void out.push(line),
    writeError: (line) => void err.push(line),
  });
  facts.forEach(tell.onRegistryFact);
  return { out, err };
}

describe("an outage of a registry in the local process", () => {
  it("has one line in the stream and one on stderr for its start and its end", () => {
    expect(reported("text", unreachable, recovered)).toEqual({
      out: [
        "10:56:12.345  ✗ registry registry.test can't be reached since 10:56:12: connection refused",
        "11:00:12.345  ✓ registry registry.test answers again after 4 min",
      ],
      err: [
        "! registry registry.test can't be reached since 10:56:12: connection refused",
        "registry registry.test answers again after 4 min",
      ],
    });
  });

  it("is a fact and a message in JSON", () => {
    const { out, err } = reported("json", unreachable, recovered);
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([unreachable, recovered].map(registryFactView));
    expect(err.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: "error",
        message: "registry registry.test can't be reached since 10:56:12: connection refused",
      },
      { level: "info", message: "registry registry.test answers again after 4 min" },
    ]);
  });

  it.each([
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [7_260_000, "2 h 1 min"],
    [-5_000, "0 s"],
  ])("of %i ms ends after %s", (ms, text) => {
    const { err } = reported("text", { ...recovered, at: epochMs(since + ms) });
    expect(err).toEqual([`registry registry.test answers again after ${text}`]);
  });

  it.each(["text", "json"] as const)("prints no control characters of a hostile registry as %s", (output) => {
    const hostile = "\u001b[2J\u202eevil\nshop/api ✓ succeeded";
    const { out, err } = reported(output, { ...unreachable, registry: hostile, detail: hostile });
    for (const line of [...out, ...err]) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
    expect([out, err].map(({ length }) => length)).toEqual([1, 1]);
  });

  it("goes from the bus to its own listener, and through the stream in the form of its schema", async () => {
    const stream = factStream();
    const other: unknown[] = [];
    const note = (fact: unknown): void => void other.push(fact);
    const bus = localBus(new Map(), () => [], note, note, stream.publish);
    const written: string[] = [];
    const followed = stream.follow(async (text) => void written.push(text), new AbortController().signal);
    await bus.publish([unreachable, recovered]);
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        while (written.join("").split("data: ").length < 3) await new Promise(setImmediate);
        controller.enqueue(new TextEncoder().encode(written.join("")));
        controller.close();
      },
    });
    const views: RegistryFactView[] = [];
    for await (const data of eventsIn(body)) views.push(RegistryFactView.parse(JSON.parse(data)));
    stream.end();
    await followed;

    expect(views.map(registryFactOf)).toEqual([unreachable, recovered]);
    expect(other).toEqual([]);
  });
});
