import { beforeEach, describe, expect, it } from "vitest";
import { ociRegistry } from "#adapters/oci/registry";
import { explain } from "#app/api/explain";
import { readWorkload } from "#app/api/workloads";
import { checkRegistry } from "#app/api/registries";
import { seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError, TransientError } from "#ports/errors";
import type { Registry } from "#ports/registry";
import { host, type World, world } from "../world.ts";

const { signal } = new AbortController();

let lookout: World;

beforeEach(async () => {
  lookout = world();
  await lookout.push("shop/api", "1.0.0", { quietly: true });
});

/** Tracks a workload whose second container has another image, and pushes 1.1.0 of the first. */
async function pushBeside(image: string): Promise<string> {
  const containers = [
    { name: "app", image: `${host}/shop/api:1.0.0` },
    { name: "side", image },
  ];
  const annotations = { "lookout.dev/enabled": "true", "lookout.dev/semver-range": ">=1" };
  const metadata = { namespace: "shop", name: "api", annotations };
  const key = workloadKey(
    lookout.cluster.apply({
      kind: "Deployment",
      metadata,
      spec: { replicas: 1, template: { spec: { containers } } },
    }),
  );
  await lookout.pass(seconds(2));
  await lookout.sync();
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(30));
  return key;
}

/** Answers requests for repositories outside of the usual host with another registry. */
function otherHosts(other: Partial<Registry>): void {
  const { registry } = lookout;
  const of = (name: string): Registry => (name === host ? registry : { ...registry, ...other });
  const both: Registry = {
    tags: (name, ...rest) => of(name.registry).tags(name, ...rest),
    inspect: (name, ...rest) => of(name.registry).inspect(name, ...rest),
    resolve: (name, ...rest) => of(name.registry).resolve(name, ...rest),
    manifest: (name, ...rest) => of(name.registry).manifest(name, ...rest),
    config: (name, ...rest) => of(name.registry).config(name, ...rest),
    answers: (name, ...rest) => of(name.registry).answers(name, ...rest),
  };
  Object.assign(lookout.ports, { registry: both });
}

const noCredentials = { credentialFor: async () => undefined } as never;

describe("an image whose host is no address", () => {
  it.each(["1.2.3.4.5/x:1.0.0", "reg:99999/x:1.0.0", "0x1.example.0x/x:1.0.0"])(
    "gives its container a reason, and the other containers their updates: %s",
    async (image) => {
      otherHosts(ociRegistry({ credentials: noCredentials }));

      const key = await pushBeside(image);

      expect(lookout.image(key)).toMatch(/:1\.1\.0@sha256:/);
      expect(await readWorkload(key, lookout.ports)).toMatchObject({
        state: "problem",
        reasons: [
          {
            reason: "registry-not-asked",
            detail: expect.stringMatching(/^container side: ".*" \(registry .*\) is not a host/) as string,
          },
        ],
      });
      const explanation = await explain(key, lookout.ports, signal);
      expect(explanation?.selections).toMatchObject([
        { container: "app", tag: "1.1.0" },
        { container: "side", outcome: "none", why: { reason: "registry-not-asked" } },
      ]);
    },
  );
});

describe("a registry that throws", () => {
  const other = "other.test/x:1.0.0";

  it.each([
    {
      error: new PermanentError("the password of other.test is missing"),
      reason: "registry-not-asked",
      detail: "container side: the password of other.test is missing",
      logged: [],
    },
    {
      error: new TransientError("the limits of other.test changed 10 times"),
      reason: "registry-unreachable",
      detail: "container side: the limits of other.test changed 10 times",
      logged: [],
    },
    {
      error: new TypeError("Bearer hunter2 is not iterable"),
      reason: "evaluation-failed",
      detail: "container side: a request to other.test ended with TypeError",
      logged: ["TypeError: Bearer hunter2 is not iterable"],
    },
  ])("gives its container the reason $reason, and the other container its update", async (row) => {
    otherHosts({ tags: () => Promise.reject(row.error) });

    const key = await pushBeside(other);

    expect(lookout.image(key)).toMatch(/:1\.1\.0@sha256:/);
    expect((await readWorkload(key, lookout.ports))?.reasons).toMatchObject([
      { reason: row.reason, detail: row.detail },
    ]);
    expect([...new Set(lookout.failures)]).toEqual(row.logged);
  });

  it("leaves a problem in its repository after a sweep, until a sweep succeeds", async () => {
    await pushBeside(`${host}/shop/side:1.0.0`);
    const problem = async () =>
      (await lookout.ports.repositories.read({ registry: host, repository: "shop/side" }))?.problem;
    const { registry } = lookout.ports;
    Object.assign(lookout.ports, { registry: { ...registry, tags: () => Promise.reject(new TypeError("a bug")) } });
    await lookout.sweep();
    expect(await problem()).toMatchObject({
      reason: "evaluation-failed",
      detail: `a request to ${host} ended with TypeError`,
    });

    Object.assign(lookout.ports, { registry });
    await lookout.push("shop/side", "1.0.0", { quietly: true });
    await lookout.sweep();
    expect(await problem()).toBeUndefined();
  });

  it("fails the check of its registry with a reason", async () => {
    Object.assign(lookout.ports, {
      registry: { ...lookout.registry, inspect: () => Promise.reject(new PermanentError("config.json is not JSON")) },
    });

    expect(await checkRegistry("other.test", "x", lookout.ports, signal)).toMatchObject({
      registries: [{ rows: expect.arrayContaining([expect.objectContaining({ result: "failed" })]) as unknown }],
    });
  });
});
