import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { controlOf } from "../control-of.ts";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
const params = { cluster: "prod", namespace: "shop", kind: "deployment", name: "api" };
const person = { by: "ana", why: "checkout fails" };
const ask = () => controlOf(lookout);
const rollback = (to?: string) => ask().rollBack({ params, body: { ...person, ...(to === undefined ? {} : { to }) } });
const set = (version: string) => ask().setVersion({ params, body: { version, ...person } });
async function runs() {
  await lookout.pass(minutes(1));
  await lookout.sweep();
  await lookout.pass(minutes(2));
  return lookout.image(key).replace(`${host}/shop/`, "");
}
beforeEach(async () => {
  lookout = await worldWithApi();
});

function applyAgain(manager: string, image = `${host}/shop/api:1.0.0`, annotations: Record<string, string> = {}): void {
  const spec = { replicas: 2, template: { spec: { containers: [{ name: "app", image }] } } };
  const metadata = { ...api, annotations: { "lookout.dev/enabled": "true", ...annotations } };
  lookout.cluster.apply({ kind: "Deployment", metadata, spec }, manager);
}

const freeze = () => lookout.ports.freezes.put({ scope: {}, by: "ben", why: "sale", at: lookout.clock.now() });
const tag = () => lookout.image(key).replace(/@.*/, "").split(":").at(-1);
async function upTo(...tags: string[]) {
  key = await trackApi(lookout);
  for (const one of tags) {
    await lookout.push("shop/api", one);
    await runs();
  }
}

describe("what a person requests", () => {
  it("rollback --to during a rollout that succeeds is not lost", async () => {
    await upTo("1.1.0", "1.2.0");
    await lookout.push("shop/api", "1.3.0");
    await lookout.settle();
    await rollback("1.1.0");
    await runs();
    await runs();
    expect(tag()).toBe("1.1.0");
  });
  it("set during a rollout that succeeds is not lost", async () => {
    await upTo("1.1.0", "1.2.0");
    await lookout.push("shop/api", "1.3.0");
    await lookout.settle();
    await set("1.1.0");
    await runs();
    await runs();
    expect(tag()).toBe("1.1.0");
  });
  it("a landed rollback passes no freeze and no suspension later", async () => {
    await upTo("1.1.0", "1.2.0");
    await rollback();
    await runs();
    await lookout.pass(minutes(300));
    await freeze();
    await ask().suspendWorkload({ params, body: { by: "ben", why: "hands off" } });
    await lookout.pass(minutes(5));
    applyAgain("kubectl-client-side-apply");
    await lookout.pass(minutes(1));
    await lookout.sync();
    await lookout.pass(minutes(2));
    expect(tag()).toBe("1.0.0");
  });
  it("lookout.dev/rollback-to passes no freeze later", async () => {
    key = await trackApi(lookout, { "lookout.dev/rollback-to": "1.1.0" });
    for (const one of ["1.1.0", "1.2.0"]) {
      await lookout.push("shop/api", one);
      await runs();
    }
    await lookout.push("shop/api", "1.3.0", { broken: true });
    await runs();
    await lookout.pass(minutes(20));
    expect(tag()).toBe("1.1.0");
    await freeze();
    applyAgain("kubectl-client-side-apply", undefined, { "lookout.dev/rollback-to": "1.1.0" });
    await lookout.pass(minutes(1));
    await lookout.sync();
    await lookout.pass(minutes(5));
    expect(tag()).toBe("1.0.0");
  });
  it("a new tag that a freeze holds does not replace a waiting rollback", async () => {
    await upTo("1.1.0");
    await freeze();
    lookout.cluster.unreachable(true);
    await lookout.pass(minutes(5));
    await rollback();
    await lookout.pass(minutes(2));
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(2));
    lookout.cluster.unreachable(false);
    await runs();
    await runs();
    await lookout.pass(minutes(30));
    expect(tag()).toBe("1.0.0");
  });
  it("a skipped update did not run", async () => {
    key = await trackApi(lookout);
    await freeze();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    await ask().skipTag({ params, body: { tag: "1.1.0", ...person } });
    await lookout.pass(seconds(5));
    expect((await lookout.record(key)).last).not.toMatchObject({ reason: "already-runs" });
  });
  it("policy digest, the registry is down during the rollback: a moved tag ends the keeping", async () => {
    key = await trackApi(lookout, { "lookout.dev/policy": "digest" });
    await lookout.push("shop/api", "1.0.0");
    await runs();
    const { registry } = lookout.ports;
    const down = () => Promise.resolve({ kind: "unreachable", detail: "down", isOutage: true });
    Object.assign(lookout.ports, { registry: { ...registry, tags: down, resolve: down, manifest: down } });
    await rollback();
    Object.assign(lookout.ports, { registry });
    await runs();
    const before = lookout.image(key);
    await lookout.push("shop/api", "1.0.0");
    await runs();
    await runs();
    expect(lookout.image(key)).not.toBe(before);
  });
  it("a rollback --to during a rollout blocks what ran before it too", async () => {
    await upTo("1.1.0", "1.2.0");
    await lookout.push("shop/api", "1.3.0");
    await lookout.settle();
    await rollback("1.1.0");
    expect((await lookout.record(key)).blocked.map((one) => one.tag).sort()).toEqual(["1.2.0", "1.3.0"]);
  });
});

describe("a requested image whose tag names another digest now", () => {
  const asked = ["tag", "restart"] as const;
  const digestOf = async () => (await lookout.record(key)).observed.containers[0]?.digest ?? "";

  it.each(asked)("is written with its digest by a rollback, although the workload has apply: %s", async (apply) => {
    key = await trackApi(lookout, { "lookout.dev/apply": apply });
    const first = await digestOf();
    await lookout.push("shop/api", "1.1.0");
    await runs();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    await rollback();

    expect(await runs()).toBe(`api:1.0.0@${first}`);
    expect(await digestOf()).toBe(first);
  });

  it.each(asked)("is written without a digest with apply: %s while the tag names it still", async (apply) => {
    key = await trackApi(lookout, { "lookout.dev/apply": apply });
    await lookout.push("shop/api", "1.1.0");
    await runs();
    await rollback();

    expect(await runs()).toBe("api:1.0.0");
  });

  it("is written with its digest by a set to what the pods run, so that new pods pull it", async () => {
    key = await trackApi(lookout);
    const first = await digestOf();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    await set(first);

    expect(await runs()).toBe(`api:1.0.0@${first}`);
  });
});
