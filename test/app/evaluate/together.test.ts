import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { viewOf } from "#app/api/views";
import { settingsOf } from "#app/shared/records";
import { minutes, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { api, host, type World, world } from "../world.ts";

let lookout: World;
beforeEach(() => {
  lookout = world();
});

interface Given {
  readonly migrate?: string;
  readonly web?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Tracks a Deployment with the init container `migrate` and the container `web`. */
async function track({ migrate = "2.0.0", web = "2.0.0", annotations = {} }: Given = {}): Promise<string> {
  await lookout.push("shop/migrate", migrate, { quietly: true });
  await lookout.push("shop/web", web, { quietly: true });
  const spec = {
    replicas: 2,
    template: {
      spec: {
        initContainers: [{ name: "migrate", image: `${host}/shop/migrate:${migrate}` }],
        containers: [{ name: "web", image: `${host}/shop/web:${web}` }],
      },
    },
  };
  const key = workloadKey(
    lookout.cluster.apply({
      kind: "Deployment",
      metadata: {
        ...api,
        annotations: {
          "lookout.dev/enabled": "true",
          "lookout.dev/together": "true",
          "lookout.dev/initContainer.migrate.enabled": "true",
          ...annotations,
        },
      },
      spec,
    }),
  );
  await lookout.pass(seconds(2));
  await lookout.sync();
  return key;
}

const templateOf = () => lookout.cluster.object(api)?.spec.template?.spec;

const chart = "application/vnd.cncf.helm.config.v1+json";

/** The tags of `migrate` and `web`. */
function tags(): readonly (string | undefined)[] {
  const template = templateOf();
  const images = [template?.initContainers?.[0]?.image, template?.containers[0]?.image];
  return images.map((image) => image?.replace(/^.*\/\w+:/, "").replace(/@.*$/, ""));
}

async function shown(key: string) {
  const record = await lookout.record(key);
  const { state } = viewOf(record, await settingsOf(record, lookout.ports), undefined);
  return {
    state,
    failures: record.selectionFailures.map(({ container, reason, detail }) => [container, reason, detail]),
  };
}

const updates = (key: string) => lookout.factNames(key).filter((name) => name === "UpdateReleased");

describe("containers that belong together", () => {
  it("move to a tag in one patch, after every repository has the tag", async () => {
    const key = await track();
    await lookout.push("shop/migrate", "2.1.0");
    await lookout.pass(seconds(30));
    expect(tags()).toEqual(["2.0.0", "2.0.0"]);
    expect(await shown(key)).toEqual({
      state: "problem",
      failures: [["migrate", "no-common-tag", "2.1.0 is not a tag of every container yet"]],
    });

    await lookout.push("shop/web", "2.1.0");
    await lookout.pass(seconds(30));
    expect(tags()).toEqual(["2.1.0", "2.1.0"]);
    expect(updates(key)).toHaveLength(1);
    expect(await shown(key)).toEqual({ state: "up-to-date", failures: [] });
  });

  it("explain which tag waits for another container", async () => {
    const key = await track();
    await lookout.push("shop/migrate", "2.1.0");
    await lookout.pass(seconds(30));
    const answer = await explain(key, lookout.ports, new AbortController().signal);

    expect(
      answer?.selections.map(({ container, outcome, tag, why }) => [container, outcome, tag, why?.reason]),
    ).toEqual([
      ["web", "unchanged", "2.0.0", undefined],
      ["migrate", "none", undefined, "no-common-tag"],
    ]);
  });

  it("move to the highest tag that all have, although one repository has a higher tag", async () => {
    const key = await track();
    for (const tag of ["2.1.0", "2.2.0"]) await lookout.push("shop/web", tag, { quietly: true });
    await lookout.push("shop/migrate", "2.1.0");
    await lookout.pass(seconds(30));

    expect(tags()).toEqual(["2.1.0", "2.1.0"]);
    expect(updates(key)).toHaveLength(1);
    await lookout.sync();
    await lookout.sweep();
    expect((await shown(key)).failures).toEqual([
      ["web", "no-common-tag", "2.2.0 is not a tag of every container yet"],
    ]);
  });

  it("are found by a sweep of either repository", async () => {
    await track();
    for (const repository of ["shop/web", "shop/migrate"]) await lookout.push(repository, "2.1.0", { quietly: true });
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(tags()).toEqual(["2.1.0", "2.1.0"]);
  });

  it("meet at the tag that one of them runs already", async () => {
    const key = await track({ migrate: "2.1.0", web: "2.0.0" });
    expect(await shown(key)).toMatchObject({
      state: "problem",
      failures: [
        ["migrate", "no-common-tag", "web would get 2.0.0, migrate would get 2.1.0"],
        ["web", "no-common-tag", "web would get 2.0.0, migrate would get 2.1.0"],
      ],
    });
    await lookout.push("shop/web", "2.1.0");
    await lookout.pass(seconds(30));

    expect(tags()).toEqual(["2.1.0", "2.1.0"]);
  });

  it("say what each would get while no tag is in every repository", async () => {
    const key = await track({ migrate: "2.1.0", web: "2.0.0" });
    await lookout.push("shop/web", "2.2.0");
    await lookout.pass(seconds(30));

    const detail = "web would get 2.2.0, migrate would get 2.1.0";
    expect(await shown(key)).toEqual({
      state: "problem",
      failures: [
        ["migrate", "no-common-tag", detail],
        ["web", "no-common-tag", detail],
      ],
    });
    expect(tags()).toEqual(["2.1.0", "2.0.0"]);
  });

  it("take no tag that the policy of one of them rejects", async () => {
    await track({ annotations: { "lookout.dev/container.web.semver-range": "~2.1" } });
    for (const tag of ["2.1.0", "3.0.0"]) {
      await lookout.push("shop/migrate", tag, { quietly: true });
      await lookout.push("shop/web", tag);
    }
    await lookout.pass(seconds(30));

    expect(tags()).toEqual(["2.1.0", "2.1.0"]);
  });

  it.each(["shop/web", "shop/migrate"])(
    "pass a tag over in all repositories when it is a chart in %s",
    async (chartIn) => {
      await track();
      for (const tag of ["2.1.0", "2.2.0"]) {
        await lookout.push("shop/migrate", tag, { quietly: true });
        await lookout.push("shop/web", tag, { quietly: true });
      }
      lookout.registry.push(host, chartIn, "2.2.0", { artifact: chart });
      await lookout.sweep();
      await lookout.pass(seconds(30));

      expect(tags()).toEqual(["2.1.0", "2.1.0"]);
    },
  );

  it("are not up to date while a higher tag can't run in one of them", async () => {
    const key = await track();
    await lookout.push("shop/migrate", "2.1.0", { quietly: true });
    await lookout.push("shop/web", "2.1.0", { quietly: true });
    lookout.registry.push(host, "shop/web", "2.1.0", { artifact: chart });
    await lookout.sweep();
    await lookout.pass(seconds(30));

    const why = "2.1.0 can't run in every container";
    expect(tags()).toEqual(["2.0.0", "2.0.0"]);
    expect(await shown(key)).toEqual({
      state: "problem",
      failures: [
        ["migrate", "no-common-tag", why],
        ["web", "no-common-tag", why],
      ],
    });
  });

  it("say which image can't run when they have no other tag in common", async () => {
    const key = await track({ migrate: "2.0.0", web: "2.0.1" });
    await lookout.push("shop/migrate", "2.1.0", { quietly: true });
    await lookout.push("shop/web", "2.1.0", { quietly: true });
    lookout.registry.push(host, "shop/migrate", "2.1.0", { artifact: chart });
    await lookout.sweep();
    await lookout.pass(seconds(30));

    const why = `2.1.0 is a Helm chart (${chart})`;
    expect((await shown(key)).failures).toEqual([
      ["migrate", "not-an-image", why],
      ["web", "not-an-image", `container migrate: ${why}`],
    ]);
    expect(tags()).toEqual(["2.0.0", "2.0.1"]);
  });

  it("roll back together, and wait together while the digest of one is blocked", async () => {
    const key = await track();
    await lookout.push("shop/migrate", "2.1.0");
    await lookout.push("shop/web", "2.1.0", { broken: true });
    await lookout.pass(minutes(15));
    expect(tags()).toEqual(["2.0.0", "2.0.0"]);
    expect((await shown(key)).failures.map(([container, reason]) => [container, reason])).toEqual([
      ["migrate", "digest-blocked"],
      ["web", "digest-blocked"],
    ]);

    await lookout.push("shop/migrate", "2.1.1");
    await lookout.pass(minutes(1));
    expect(tags()).toEqual(["2.0.0", "2.0.0"]);
    await lookout.push("shop/web", "2.1.1");
    await lookout.pass(minutes(1));
    expect(tags()).toEqual(["2.1.1", "2.1.1"]);
  });

  it("prefer a lower tag that is old enough to a higher tag that is too young for one of them", async () => {
    const key = await track({ annotations: { "lookout.dev/min-age": "1h" } });
    for (const repository of ["shop/migrate", "shop/web"]) await lookout.push(repository, "2.1.0");
    await lookout.pass(minutes(40));
    for (const repository of ["shop/migrate", "shop/web"]) await lookout.push(repository, "2.2.0");
    await lookout.pass(minutes(25));
    await lookout.reap();
    await lookout.pass(minutes(1));
    expect(tags()).toEqual(["2.1.0", "2.1.0"]);

    await lookout.pass(minutes(40));
    await lookout.reap();
    await lookout.pass(minutes(1));
    expect(tags()).toEqual(["2.2.0", "2.2.0"]);
    expect(updates(key)).toHaveLength(2);
  });

  it("wait together for a registry that does not answer, and say for which container", async () => {
    const key = await track();
    let isDown = true;
    const resolve = lookout.registry.resolve.bind(lookout.registry);
    const refuse: typeof resolve = (name, tag, signal) =>
      isDown && name.repository === "shop/web"
        ? Promise.resolve({ kind: "unreachable", detail: "connection refused" })
        : resolve(name, tag, signal);
    Object.assign(lookout.registry, { resolve: refuse });
    await lookout.push("shop/web", "2.1.0", { quietly: true });
    await lookout.push("shop/migrate", "2.1.0");
    await lookout.pass(seconds(10));

    expect(tags()).toEqual(["2.0.0", "2.0.0"]);
    expect((await shown(key)).failures).toEqual([
      ["migrate", "registry-unreachable", "container web: connection refused"],
      ["web", "registry-unreachable", "connection refused"],
    ]);
    isDown = false;
    await lookout.pass(minutes(3));
    expect(tags()).toEqual(["2.1.0", "2.1.0"]);
  });
});

describe("a workload that can't update its containers together", () => {
  it.each([
    [
      "with one tracked container",
      { "lookout.dev/initContainer.migrate.enabled": "false" },
      "needs two tracked containers, and only the container web is tracked: set lookout.dev/initContainer.migrate.enabled to true, or remove this annotation",
    ],
    [
      "with a container that follows its tag",
      { "lookout.dev/container.web.policy": "digest" },
      "the container web keeps its tag (policy digest): give the container a policy that selects tags, or set lookout.dev/container.web.enabled to false",
    ],
  ])("%s is held, and the problem says what to do", async (_, annotations, message) => {
    const key = await track({ annotations });
    await lookout.push("shop/migrate", "2.1.0", { quietly: true });
    await lookout.push("shop/web", "2.1.0");
    await lookout.pass(seconds(30));

    expect(tags()).toEqual(["2.0.0", "2.0.0"]);
    expect((await shown(key)).failures).toContainEqual([
      "web",
      "problem-in-settings",
      `lookout.dev/together "true": ${message}`,
    ]);
  });
});
