import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { answeringRegistry } from "#app/shared/answering-registry";
import { parseConfiguration } from "#contracts/config/configuration";
import { durationMs } from "#domain/shared/time";
import { openRegistries } from "#runtime/registries";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A registry that takes each request and never answers it. */
async function silentRegistry() {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configuration = parseConfiguration({ registries: [{ host, insecure: true, allowPrivateNetwork: true }] });
  if (!configuration.ok) throw new Error(JSON.stringify(configuration.problem));
  const registry = openRegistries({
    configuration: configuration.value,
    readSecret: () => Promise.reject(new Error("the entry has no secret")),
    environment: {},
  });
  return { registry: answeringRegistry(registry), name: { registry: host, repository: "shop/api" } };
}

const digest = `sha256:${"a".repeat(64)}`;

describe("a request whose answer the caller can do without", () => {
  it.each(["manifest", "config"] as const)("for a %s ends with a refusal at its own time limit", async (what) => {
    const { registry, name } = await silentRegistry();
    const began = performance.now();

    const answer = await registry[what](name, digest, new AbortController().signal, { spareWithin: durationMs(50) });

    expect(answer).toEqual({ kind: "unreachable", detail: expect.stringContaining(name.registry) as string });
    // Other requests have ten seconds.
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("ends with an error when the run of its caller ends", async () => {
    const { registry, name } = await silentRegistry();
    const run = new AbortController();
    const asked = registry.config(name, digest, run.signal, { spareWithin: durationMs(60_000) });
    run.abort();

    await expect(asked).rejects.toMatchObject({ name: "TransientError" });
  });
});
