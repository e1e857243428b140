import { describe, expect, it } from "vitest";
import type { Served } from "#app/api/handler";
import { tierHandlers } from "#app/api/tiers";
import { renderTierGroup, renderTiers } from "#cli/render/tiers";
import type { TiersView } from "#contracts/api/tiers";
import { durationMs, minutes, plus, seconds } from "#domain/shared/time";
import type { Tier } from "#domain/tiers/rules";
import { controlOf } from "../control-of.ts";
import { host, type World, world } from "../world.ts";

const tier = (name: string, given: Partial<Tier> = {}): Tier => ({
  ...{ name, soak: minutes(0), haltOnFailure: true, namespaces: [`${name}-*`] },
  ...given,
});

async function groupOfThree(tiers: readonly Tier[]): Promise<World> {
  const lookout = world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, {
    ...{ tiers, clusters: [], tierGroupLabel: "app" },
  });
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  for (const name of ["dev", "prod", "prod-eu"])
    lookout.deploy({
      ...{ namespace: `${name.replace(/-.*/, "")}-${name}`, name: "web", image: `${host}/shop/web:1.0.0` },
      annotations: { "lookout.dev/enabled": "true" },
      labels: { app: "web" },
    });
  await lookout.sync();
  await lookout.pass(seconds(5));
  await lookout.sync();
  await lookout.pass(seconds(5));
  return lookout;
}

const ask = (lookout: World, query: { group?: string; tag?: string } = {}) =>
  tierHandlers({ ports: lookout.ports, allPorts: lookout.ports } as Served).listTiers({ query });

const style = (lookout: World) => ({
  ...{ width: undefined, colour: false, timeZone: "UTC", wide: false, now: lookout.clock.now() },
});

async function shown(lookout: World, group?: string): Promise<readonly string[]> {
  const view = (await ask(lookout, group === undefined ? {} : { group })) as TiersView;
  const [first] = view.groups;
  const text =
    group === undefined || first === undefined
      ? renderTiers(view, style(lookout))
      : renderTierGroup(first, style(lookout));
  return text.trimEnd().split("\n");
}

describe("the list of tiers", () => {
  it("names the person who set the image that a tier keeps", async () => {
    const lookout = await groupOfThree([tier("dev"), tier("prod")]);
    await lookout.push("shop/web", "1.1.0", { quietly: true });
    const params = { cluster: "prod", namespace: "dev-dev", kind: "Deployment", name: "web" };
    await controlOf(lookout).setVersion({ params, body: { version: "1.0.0", by: "eva", why: "checkout fails" } });
    await lookout.pass(minutes(5));
    expect((await shown(lookout, "web")).find((line) => line.includes("/dev-dev/"))).toBe(
      "dev    prod/dev-dev/deployment/web        1.0.0   runs 1.0.0: eva requested 1.0.0, 5 m ago",
    );
  });

  it("shows what each group waits for, until all tiers ran the newest image", async () => {
    const lookout = await groupOfThree([tier("dev", { soak: minutes(5) }), tier("prod")]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(2));
    expect(await shown(lookout, "web")).toEqual(
      [
        "TIER   MEMBERS   AT 1.1.0   WAITS FOR",
        "dev    1         0          prod/dev-dev/deployment/web: rolls out 1.1.0, 2 s ago",
        "prod   2         0          tier dev",
        "",
        "TIER   MEMBER                            RUNS    DOES",
        "dev    prod/dev-dev/deployment/web       1.0.0   rolls out 1.1.0, 2 s ago",
        "prod   prod/prod-prod-eu/deployment/web  1.0.0   holds 1.1.0: an earlier tier has not run it, 2 s ago",
        "prod   prod/prod-prod/deployment/web     1.0.0   holds 1.1.0: an earlier tier has not run it, 2 s ago",
      ].map(
        (line) =>
          expect.stringMatching(
            new RegExp(`^${line.replaceAll(/ +/g, " +").replaceAll(/\d s ago/g, "\\d s ago")}$`),
          ) as string,
      ),
    );
    await lookout.pass(minutes(1));
    expect(await shown(lookout)).toEqual(
      [
        "GROUP   NEWEST   TIERS              WAITS FOR",
        "web     1.1.0    dev 1/1  prod 0/2   the soak of 5m, in 4 m".replace("   the", "  the"),
      ].map((line) => expect.stringMatching(new RegExp(`^${line.replaceAll(/ +/g, " +")}$`)) as string),
    );
    await lookout.pass(minutes(7));
    expect((await shown(lookout))[1]).toMatch(/^web +1\.1\.0 +dev 1\/1 ✓ +prod 2\/2 ✓ +-$/);
  });

  it("shows a halt with its member", async () => {
    const lookout = await groupOfThree([tier("dev"), tier("prod")]);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));
    const view = (await ask(lookout, { group: "web", tag: "1.1.0" })) as TiersView;
    expect(view.groups[0]?.tiers.map(({ tier: name, state, waitsFor }) => [name, state, waitsFor?.workload])).toEqual([
      ["dev", "halted", "prod/dev-dev/deployment/web"],
      ["prod", "behind", undefined],
    ]);
  });

  it("takes no tier for done while its cluster gives no answer", async () => {
    const lookout = await groupOfThree([tier("dev"), tier("prod")]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    expect((await shown(lookout))[1]).toMatch(/dev 1\/1 ✓/);
    const { clusterStates, clock } = lookout.ports;
    const state = await clusterStates.read("prod");
    const since = plus(clock.now(), durationMs(-60_000));
    const problem = { reason: "cluster-unreachable", detail: "timed out", since, at: clock.now() } as const;
    await clusterStates.write({ name: "prod", ...state, problem });

    const view = (await ask(lookout)) as TiersView;
    expect(view.groups[0]?.tiers.map(({ state: one, waitsFor }) => [one, waitsFor?.why])).toEqual([
      ["unread", "cluster prod gives no answer: timed out"],
      ["behind", "tier dev"],
    ]);
    expect((await shown(lookout))[1]).toMatch(/dev 1\/1 +prod 2\/2 +✗ cluster prod gives no answer: timed out$/);
  });

  it("finds the group of a ServiceImage by its namespace and name", async () => {
    const lookout = await groupOfThree([tier("dev"), tier("prod")]);
    const [first] = await lookout.ports.store.readMany(await lookout.ports.store.workloadIndex("prod"));
    if (first?.member === undefined) throw new Error("no member");
    const member = { ...first.member, group: "ServiceImage dicom/dicom" };
    const { store } = lookout.ports;
    const readMany = store.readMany.bind(store);
    Object.assign(store, {
      readMany: async (keys: readonly string[]) =>
        (await readMany(keys)).map((one) => (one.version === first.version ? { ...one, member } : one)),
    });

    expect(await ask(lookout, { group: "dicom/dicom" })).toMatchObject({ groups: [{ group: member.group }] });
  });

  it("refuses what it does not know, and says what to do", async () => {
    const lookout = await groupOfThree([tier("dev"), tier("prod")]);
    expect(await ask(lookout, { group: "wbe" })).toEqual({
      kind: "not-found",
      detail: 'no tracked workload is in group "wbe"; did you mean web?. List all groups: lookout tiers',
    });
    expect(await ask(lookout, { group: "web", tag: "9.9.9" })).toEqual({
      kind: "not-found",
      detail: 'no member of web runs, ran or wants "9.9.9"',
    });
    expect(await ask(lookout, { tag: "1.0.0" })).toEqual({ kind: "bad-request", detail: "name the group of the tag" });
  });

  it("says that there are no tiers", async () => {
    const lookout = world();
    expect(renderTiers((await ask(lookout)) as TiersView, style(lookout))).toContain("docs/tiers.md");
  });
});
