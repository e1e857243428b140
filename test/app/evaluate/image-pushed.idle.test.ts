import { beforeEach, describe, expect, it } from "vitest";
import { evaluatePush } from "#app/evaluate/image-pushed";
import type { Ports } from "#app/shared/ports";
import { seconds } from "#domain/shared/time";
import { begins, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
});

async function pushed(tag: string): Promise<void> {
  await lookout.push("shop/api", tag);
  await lookout.pass(seconds(30));
}

describe("a push whose tag can't win", () => {
  it("asks no registry", async () => {
    await trackApi(lookout);
    const before = { ...lookout.registry.calls };
    await pushed("main");
    await pushed("0.9.0");

    expect(lookout.registry.calls).toEqual(before);
  });

  it("joins another push that can win, and does not hide it", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "main");
    await lookout.push("shop/api", "1.1.0");
    await lookout.push("shop/api", "dev");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("needs no listing under latest, nor does a push that wins", async () => {
    await trackApi(lookout, { "lookout.dev/policy": "latest" });
    const before = { ...lookout.registry.calls };
    await pushed("main");
    await pushed("dev");

    expect(lookout.registry.calls.tags).toBe(before.tags);
  });

  it("is evaluated if a workload waits for the registry's answer", async () => {
    const key = await trackApi(lookout);
    lookout.registry.unreachable(host, true);
    await pushed("1.1.0");
    lookout.registry.unreachable(host, false);
    await pushed("main");

    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});

/** Ports that write down what they are asked. */
function heard(ports: Ports, asked: string[]): Ports {
  const listening = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, method: keyof Port & string) => {
        asked.push(`${name}.${method}`);
        return target[method];
      },
    });
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, listening(name, port)])) as never;
}

describe("a push to a repository that no workload uses", () => {
  const push = { name: "ImagePushed", id: "p1", registry: host, repository: "shop/other", tag: "1.1.0" } as const;

  it("reads only the subscribers, and stores and counts nothing", async () => {
    await trackApi(lookout);
    const asked: string[] = [];

    const outcome = await evaluatePush(
      { ...push, source: "webhook generic", at: begins },
      heard(lookout.ports, asked),
      new AbortController().signal,
    );

    expect({ outcome, asked }).toEqual({ outcome: { kind: "unknown-repository" }, asked: ["store.subscribers"] });
  });
});

describe("a push that replaced others of the same image while they waited", () => {
  it("is evaluated once, and all of them are counted", async () => {
    await trackApi(lookout);
    const at = lookout.ports.clock.now();
    const push = {
      name: "ImagePushed",
      registry: host,
      repository: "shop/api",
      tag: "1.1.0",
      source: "hub",
      at,
    } as const;
    await lookout.push("shop/api", "1.1.0", { quietly: true });

    const outcome = await evaluatePush({ ...push, id: "p5", replaced: 4 }, lookout.ports, new AbortController().signal);

    expect(outcome).toMatchObject({ kind: "evaluated", changed: 1 });
    expect(lookout.measurements.filter(({ name }) => name === "PushesReceived")).toEqual([
      { name: "PushesReceived", value: 5, about: { registry: host, repository: "shop/api", source: "hub" } },
    ]);
  });
});
