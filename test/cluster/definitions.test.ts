import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { definitionsOf } from "#cli/manifests/definitions/index";
import { giveAccess } from "./access.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { freePorts } from "./bed/ports.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { type Lookout, startLookout } from "./lookout.ts";
import { printedPolicy, printedRegistry, printedServiceImage, wholeRegistry } from "./seed-definitions.ts";

/*
 * The cases run in their order: the definitions of the kinds are absent, then installed, then removed.
 */

const secret = "s3cret-of-the-receiver";
const names = ["lab", "fleet"] as const;
type ClusterName = (typeof names)[number];

let planes: Readonly<Record<ClusterName, ControlPlane>>;
let registry: Registry;
let lookout: Lookout;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  const notify = { url: `http://127.0.0.1:${port}/webhooks/registry`, headers: { Authorization: `Bearer ${secret}` } };
  const [lab, fleet, started] = await Promise.all([
    startControlPlane(),
    startControlPlane(),
    startRegistry({ notify }),
  ]);
  [planes, registry] = [{ lab, fleet }, started];
  await Promise.all(
    [lab, fleet].map(async (plane) => {
      await giveAccess(plane, { definitions: true }, "CustomResourceDefinition");
      await plane.kubectl("create", "namespace", "dicom");
    }),
  );
  await registry.push("shop/plain:1.0.0", { seed: "plain 1.0.0" });
  const clusters = names.map((name) => ({ name, kubeconfig: planes[name].kubeconfigFor("lookout") }));
  const more = { clusters, definitions: true };
  lookout = await startLookout({ registry: registry.host, port, secret, more });
  await deploy("lab", "plain", "shop/plain:1.0.0", { annotations: { "lookout.dev/enabled": "true" } });
  await lookout.fact("WorkloadTracked", "default/plain");
}, 120_000);

afterAll(async () => {
  await lookout.stop();
  await Promise.all([planes.lab.stop(), planes.fleet.stop(), registry.stop()]);
});

const kinds = definitionsOf() as readonly { readonly metadata: { readonly name: string } }[];

async function installKinds(plane: ControlPlane): Promise<void> {
  await plane.apply(kinds);
  await plane.kubectl("wait", "--for=condition=Established", "crd", "--all");
}

async function removeKinds(plane: ControlPlane): Promise<void> {
  await plane.kubectl("delete", "crd", ...kinds.map(({ metadata }) => metadata.name));
}

/** Creates a Deployment with one pod, and waits until the pod is ready. */
async function deploy(cluster: ClusterName, name: string, image: string, more: object, namespace = "default") {
  const manifest = deploymentManifest(name, `${registry.host}/${image}`, 1);
  await planes[cluster].apply([{ ...manifest, metadata: { ...manifest.metadata, namespace, ...more } }]);
  await planes[cluster].kubectl("-n", namespace, "rollout", "status", `deployment/${name}`, "--timeout=60s");
}

/** Returns the tag that a Deployment runs. */
async function tagOf(cluster: ClusterName, name: string, namespace = "default"): Promise<string | undefined> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  const image = await planes[cluster].kubectl("-n", namespace, "get", "deployment", name, "-o", path);
  return /:([^:@/]+)(?:@|$)/.exec(image)?.[1];
}

/** Pushes an image to `plain`, which an annotation enables, and waits until it runs. */
async function updatePlain(tag: string): Promise<void> {
  const seq = Math.max(0, ...lookout.of("default/plain").map((fact) => fact.seq)) + 1;
  await registry.push(`shop/plain:${tag}`, { seed: `plain ${tag}` });
  await lookout.fact("RolloutSucceeded", "default/plain", seq);
}

type Clusters = readonly ClusterName[];

/** Syncs clusters until something is true. The process itself syncs only once a minute. */
async function synced<Answer>(
  what: string,
  among: Clusters,
  probe: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const after = async () => {
    await Promise.all(among.map((name) => lookout.run("cluster", "sync", name)));
    return probe();
  };
  return until(what, after, { timeoutMs: 60_000, intervalMs: 100 });
}

/** Runs `kubectl wait` for each of some clusters, as a pipeline does, while syncs go on. Returns what they print. */
async function waited(among: Clusters, ...words: readonly string[]): Promise<readonly string[]> {
  let isOver = false;
  const waits = Promise.all(among.map((name) => planes[name].kubectl("wait", ...words, "--timeout=60s")));
  const over = waits.finally(() => (isOver = true));
  await Promise.race([over, synced(`kubectl wait ${words.join(" ")}`, among, async () => isOver || undefined)]);
  return over;
}

interface Defined {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly lastAppliedTag?: string;
    readonly currentPriority?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

async function read(cluster: ClusterName, object: string, namespace = "default"): Promise<Defined> {
  return JSON.parse(await planes[cluster].kubectl("-n", namespace, "get", object, "-o", "json")) as Defined;
}

const policyPath = "imagepolicy/base-java-updater";

/** Returns the conditions of an object as `True Reason`, by their types. */
function conditionsOf({ status }: Defined): Readonly<Record<string, string>> {
  return Object.fromEntries((status?.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]));
}

function patchSpec(cluster: ClusterName, object: string, spec: object, namespace = "default"): Promise<string> {
  const patch = JSON.stringify({ spec });
  return planes[cluster].kubectl("-n", namespace, "patch", object, "--type=merge", "--patch", patch);
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
}

/** Returns the calls of Lookout's account, without those of `giveAccess`. */
async function calls(cluster: ClusterName): Promise<readonly AuditEvent[]> {
  const lines = (await readFile(planes[cluster].auditLog, "utf8")).split("\n").slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ user, objectRef }) => user.username === "lookout" && objectRef?.name !== "probe-of-the-policy");
}

/** Asks for a sync, and waits until it lists the definitions. Then the sync before it is over. */
async function beginSync(cluster: ClusterName): Promise<void> {
  const lists = async () =>
    (await calls(cluster)).filter(({ verb, objectRef }) => verb === "list" && objectRef?.resource === "imageregistries")
      .length;
  const before = await lists();
  await lookout.run("cluster", "sync", cluster);
  await until("the sync lists the definitions", async () => (await lists()) > before || undefined);
}

describe("without the kinds in the cluster", () => {
  it("workloads with annotations are updated", async () => {
    await updatePlain("1.1.0");

    expect(await tagOf("lab", "plain")).toBe("1.1.0");
  });
});

describe("an ImagePolicy, as its text prints it,", () => {
  beforeAll(async () => {
    await Promise.all(names.map((name) => installKinds(planes[name])));
    await registry.push("shop/java:1.0.0", { seed: "java 1.0.0" });
    await deploy("lab", "my-java-app", "shop/java:1.0.0", {});
    await planes.lab.apply(printedPolicy.replace("library/openjdk", `${registry.host}/shop/java`));
  });

  it("brings a push to its Deployment, and kubectl wait sees it", async () => {
    await waited(["lab"], policyPath, "--for=condition=Ready");
    await registry.push("shop/java:1.1.0", { seed: "java 1.1.0" });
    await lookout.fact("RolloutSucceeded", "default/my-java-app", 1);
    const ready = await waited(["lab"], policyPath, "--for=condition=Ready");
    const upToDate = await waited(["lab"], policyPath, "--for=condition=UpToDate");
    const { metadata, status } = await synced("the tag is told", ["lab"], async () => {
      const found = await read("lab", policyPath);
      return found.status?.lastAppliedTag === "1.1.0" ? found : undefined;
    });

    expect([...ready, ...upToDate]).toEqual(
      Array(2).fill("imagepolicy.operator.technomad.dev/base-java-updater condition met\n"),
    );
    expect(await tagOf("lab", "my-java-app")).toBe("1.1.0");
    expect(status?.observedGeneration).toBe(metadata.generation);
  });

  it("with an invalid pattern is not Ready, and its target stays until it is corrected", async () => {
    await patchSpec("lab", policyPath, { tagPolicy: { strategy: "Regex", pattern: "1.(" } });
    const wrong = await synced("the pattern is refused", ["lab"], async () => {
      const found = await read("lab", policyPath);
      return conditionsOf(found)["Ready"]?.startsWith("False") === true ? found : undefined;
    });
    await registry.push("shop/java:1.2.0", { seed: "java 1.2.0" });
    await updatePlain("1.2.0");
    const stays = await tagOf("lab", "my-java-app");
    await patchSpec("lab", policyPath, { tagPolicy: { strategy: "Regex", pattern: "1[.][0-9]+[.]0" } });
    await synced("the target follows the corrected pattern", ["lab"], async () =>
      (await tagOf("lab", "my-java-app")) === "1.2.0" ? true : undefined,
    );
    const corrected = await waited(["lab"], policyPath, "--for=condition=UpToDate");

    expect(conditionsOf(wrong)).toEqual({ Ready: "False InvalidPattern", UpToDate: "False InvalidPattern" });
    expect(wrong.status?.observedGeneration).toBe(2);
    expect(stays).toBe("1.1.0");
    expect(corrected).toEqual([expect.stringContaining("condition met")]);
  });
});

/** The members of the service, in the order of their tiers. The members of a tier are in both clusters. */
const members = [
  { cluster: "lab", name: "early", tier: "earlyAccess" },
  { cluster: "fleet", name: "early", tier: "earlyAccess" },
  { cluster: "lab", name: "ring", tier: "ring1" },
  { cluster: "fleet", name: "rest", tier: "" },
] as const;

const service = "serviceimage/dicom";

/** Sets the image of the service in each cluster, as a pipeline does. */
async function setImage(tag: string): Promise<void> {
  const defaultImage = `${registry.host}/dicom:${tag}`;
  for (const cluster of names) await patchSpec(cluster, service, { defaultImage }, "dicom");
}

function serviceComplete(): Promise<readonly string[]> {
  return waited(names, "-n", "dicom", service, "--for=condition=Complete");
}

const tags = () => Promise.all(members.map(({ cluster, name }) => tagOf(cluster, name, "dicom")));

describe("a ServiceImage with three tiers over two clusters", () => {
  beforeAll(async () => {
    for (const tag of ["v1", "v2", "v3-broken", "v4"]) await registry.push(`dicom:${tag}`, { seed: `dicom ${tag}` });
    const annotations = {
      "lookout.dev/enabled": "true",
      "lookout.dev/policy": "service-image",
      "lookout.dev/rollback-timeout": "8s",
    };
    await Promise.all(
      members.map(({ cluster, name, tier }) => {
        const labels = tier === "" ? {} : { "upgrade-tier": tier };
        return deploy(cluster, name, "dicom:v1", { annotations, labels }, "dicom");
      }),
    );
    const { apiVersion, kind } = parse(printedServiceImage) as { readonly apiVersion: string; readonly kind: string };
    const tiers = [
      { upgradeTier: "" },
      { upgradeTier: "ring1", priority: 1 },
      { upgradeTier: "earlyAccess", priority: 2 },
    ];
    const spec = { defaultImage: `${registry.host}/dicom:v1`, tiers };
    const object = { apiVersion, kind, metadata: { name: "dicom", namespace: "dicom" }, spec };
    await Promise.all(names.map((name) => planes[name].apply([object])));
    await serviceComplete();
  });

  it("brings its image to one tier after the other, and is then Complete for kubectl wait", async () => {
    const from = lookout.facts.length;
    await setImage("v2");
    const complete = await serviceComplete();
    const patched = new Map<string, number>();
    for (const cluster of names)
      for (const { verb, objectRef, requestReceivedTimestamp } of await calls(cluster))
        if (verb === "patch" && objectRef?.resource === "deployments" && objectRef.namespace === "dicom")
          patched.set(`${cluster} ${objectRef.name}`, Date.parse(requestReceivedTimestamp));
    const ran = ({ cluster, name }: (typeof members)[number]) =>
      Date.parse(
        lookout.facts
          .slice(from)
          .find(
            (one) => one.name === "RolloutSucceeded" && one.workload.cluster === cluster && one.workload.name === name,
          )?.at ?? "",
      );
    const [labEarly, fleetEarly, ring, rest] = members.map((one) => ({
      starts: patched.get(`${one.cluster} ${one.name}`) ?? NaN,
      ends: ran(one),
    }));

    expect(complete).toEqual(Array(2).fill("serviceimage.services.azurehealthcareapis.com/dicom condition met\n"));
    expect(await tags()).toEqual(["v2", "v2", "v2", "v2"]);
    expect(ring!.starts).toBeGreaterThanOrEqual(Math.max(labEarly!.ends, fleetEarly!.ends));
    expect(rest!.starts).toBeGreaterThanOrEqual(ring!.ends);
  });

  it("halts at an image that fails in the first tier, and a new image goes on", async () => {
    await setImage("v3-broken");
    const halted = await synced("the service is halted", names, async () => {
      const found = await read("lab", service, "dicom");
      return conditionsOf(found)["Complete"] === "False Halted" ? found : undefined;
    });
    const stay = await until("the failed updates are rolled back", async () => {
      const found = await tags();
      return found.every((tag) => tag === "v2") || undefined;
    });
    await setImage("v4");
    const complete = await serviceComplete();
    const { metadata, status } = await read("lab", service, "dicom");

    expect(conditionsOf(halted)).toEqual({
      Complete: "False Halted",
      InProgress: "False Halted",
      UpToDate: "False Halted",
    });
    expect(halted.status?.currentPriority).toBe(2);
    expect(stay).toBe(true);
    expect(complete).toEqual(Array(2).fill("serviceimage.services.azurehealthcareapis.com/dicom condition met\n"));
    expect(await tags()).toEqual(["v4", "v4", "v4", "v4"]);
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
});

describe("a status", () => {
  const object = "imageregistry/ecr-production";
  const statusPatches = async (code: number) =>
    (await calls("lab")).filter(
      ({ objectRef, responseStatus }) => objectRef?.subresource === "status" && responseStatus?.code === code,
    ).length;
  beforeAll(() => planes.lab.apply(printedRegistry));

  it("is about the last spec after a later sync, if the object changed between the list and the patch", async () => {
    const over = new AbortController();
    const changes = (async () => {
      for (let limit = 10; !over.signal.aborted; limit += 1)
        await patchSpec("lab", object, { scan: { tagLimit: limit } });
    })();
    // The API server refuses a patch whose test fails.
    const isRefused = async () => (await statusPatches(422)) > 0 || undefined;
    await synced("a patch of a status is refused", ["lab"], isRefused).finally(() => over.abort());
    await changes;
    const last = await synced("the status is about the last spec", ["lab"], async () => {
      const found = await read("lab", object);
      return found.status?.observedGeneration === found.metadata.generation ? found : undefined;
    });

    expect(conditionsOf(last)["Ready"]).toBe("False NotInLookoutYaml");
  });

  it("is written once, and not again while nothing changes", async () => {
    for (const yaml of [printedServiceImage, wholeRegistry]) await planes.lab.apply(yaml);
    for (let times = 0; times < 3; times += 1) await beginSync("lab");
    const before = await statusPatches(200);
    for (let times = 0; times < 3; times += 1) await beginSync("lab");
    const printed = await read("lab", "serviceimage/dicom-serviceimage-prod");

    expect(await statusPatches(200)).toBe(before);
    expect(conditionsOf(printed)["Complete"]).toBe("False NoWorkload");
  });
});

describe("when the kinds are removed", () => {
  it("workloads with annotations are updated, and the others stay", async () => {
    await Promise.all(names.map((name) => removeKinds(planes[name])));
    await lookout.run("cluster", "sync", "lab");
    await lookout.fact("WorkloadUntracked", "default/my-java-app");
    await registry.push("shop/java:1.3.0", { seed: "java 1.3.0" });
    await updatePlain("1.3.0");

    expect(await tagOf("lab", "plain")).toBe("1.3.0");
    expect(await tagOf("lab", "my-java-app")).toBe("1.2.0");
  });
});

describe("Lookout's account", () => {
  it.each(names)("asks %s for nothing that it may not", async (name) => {
    const all = await calls(name);

    expect(all.length).toBeGreaterThan(0);
    expect(
      all
        .filter(({ responseStatus }) => responseStatus?.code === 403)
        .map(({ verb, requestURI }) => [verb, requestURI]),
    ).toEqual([]);
    expect(lookout.errors).toEqual([]);
  });
});
