import { describe, expect, it } from "vitest";
import { liveWorkload } from "./live-object.ts";
import type { Pod } from "#adapters/kubernetes/objects";
import { sameRun } from "#adapters/kubernetes/pods";
import { runningImages } from "#adapters/kubernetes/running-images";
import type { WorkloadKind } from "#domain/workload/kinds";

const [one, two, three] = ["1", "2", "3"].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string, string];
const image = "registry.test/shop/app:1.0.0";
const template = (imagePullPolicy?: string) => ({
  spec: {
    containers: [
      { name: "app", image, ...(imagePullPolicy && { imagePullPolicy }) },
      { name: "side", image: "registry.test/shop/side:2" },
    ],
    initContainers: [{ name: "migrate", image: "registry.test/shop/migrate:3" }],
  },
});
const live = (kind: WorkloadKind) =>
  liveWorkload(
    { cluster: "prod", namespace: "shop", kind, name: "api" },
    { metadata: { name: "api", uid: "u-1" }, spec: { template: template("IfNotPresent") } },
  );

function pod(imageIds: Readonly<Record<string, string>>, phase = "Running"): Pod {
  const status = (name: string) => ({ name, image, imageID: imageIds[name] ?? "", ready: true, restartCount: 0 });
  return {
    metadata: { name: "api-1", uid: "p-1" },
    spec: template().spec,
    status: {
      phase,
      containerStatuses: ["app", "side", "injected"].map(status),
      initContainerStatuses: [status("migrate")],
    },
  };
}

describe.each(["Deployment", "StatefulSet", "DaemonSet"] as const)("the images of the pods of a %s", (kind) => {
  it("are the digests of each container, of init containers too", () => {
    const pods = [
      pod({ app: `registry.test/shop/app@${one}`, migrate: `registry.test/shop/migrate@${two}` }),
      pod({ app: `docker-pullable://registry.test/shop/app@${one}`, side: `registry.test/shop/side@${three}` }),
    ];

    expect(runningImages(live(kind), pods)).toEqual({ app: [one], side: [three], migrate: [two] });
  });

  it("are all digests if the pods differ", () => {
    const pods = [two, one, two].map((digest) => pod({ app: `registry.test/shop/app@${digest}` }));

    expect(runningImages(live(kind), pods)).toEqual({ app: [one, two] });
  });

  it("omit configurations, empty image IDs, and containers that the template lacks", () => {
    const pods = [pod({ app: one, side: "", migrate: `docker://${two}`, injected: `registry.test/mesh@${three}` })];

    expect(runningImages(live(kind), pods)).toEqual({});
  });

  it.each([
    { phase: "Succeeded", app: [one] },
    { phase: "Pending", app: undefined },
    { phase: "Failed", app: undefined },
  ])("of a pod in the phase $phase are $app", ({ phase, app }) => {
    expect(runningImages(live(kind), [pod({ app: `registry.test/shop/app@${one}` }, phase)])).toEqual(
      app === undefined ? {} : { app },
    );
  });

  it("come with the pull policies of the containers", () => {
    expect(live(kind).containers.map(({ name, pullPolicy }) => [name, pullPolicy])).toEqual([
      ["app", "IfNotPresent"],
      ["side", undefined],
      ["migrate", undefined],
    ]);
  });
});

describe("the pods of two templates", () => {
  it("run the same if images, pull policies and restart are equal", () => {
    expect(sameRun(template("Always"), template("Always"))).toBe(true);
    expect(sameRun(template(), template())).toBe(true);
  });

  it("run differently if a pull policy differs, because the pods may pull another image", () => {
    expect(sameRun(template("IfNotPresent"), template("Always"))).toBe(false);
    expect(sameRun(template(), template("Always"))).toBe(false);
  });
});

describe("the images of volumes", () => {
  const volumes = [{ name: "models", image: { reference: "registry.test/shop/models:1" } }];
  const withVolume = liveWorkload(
    { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
    { metadata: { name: "api", uid: "u-1" }, spec: { template: { spec: { ...template().spec, volumes } } } },
  );

  it("are unknown unless the pods report them", () => {
    const mounted = (volumeStatus?: object): Pod => ({
      ...pod({}),
      status: {
        phase: "Running",
        containerStatuses: [
          {
            name: "app",
            volumeMounts: [{ name: "models", mountPath: "/models", ...(volumeStatus && { volumeStatus }) }],
          },
        ],
      },
    });

    expect(runningImages(withVolume, [mounted()])).toEqual({});
    expect(runningImages(withVolume, [mounted({ image: { imageRef: `registry.test/shop/models@${one}` } })])).toEqual({
      "volume.models": [one],
    });
  });

  it("make another template", () => {
    const other = [{ name: "models", image: { reference: "registry.test/shop/models:2" } }];
    const of = (more: object) => ({ spec: { ...template().spec, ...more } });

    expect(sameRun(of({ volumes }), of({ volumes }))).toBe(true);
    expect(sameRun(of({ volumes }), of({ volumes: other }))).toBe(false);
    expect(sameRun(of({ volumes: [{ name: "data" }] }), of({}))).toBe(true);
  });
});
