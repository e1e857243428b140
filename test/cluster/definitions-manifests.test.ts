import { readFile } from "node:fs/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import { definitionsOf } from "#cli/manifests/definitions/index";
import { definitionKinds } from "#domain/definitions/definition";
import { giveAccess } from "./access.ts";
import type { User } from "./bed/control-plane-place.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { until } from "./bed/until.ts";
import {
  printedDefinition,
  printedPolicy,
  printedRegistry,
  printedServiceImage,
  wholeRegistry,
} from "./seed-definitions.ts";

let plane: ControlPlane;
let agent: Agent;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  agent = new Agent({ connect: { ca: await readFile(plane.certificateAuthority) } });
  await giveAccess(plane, { deletePods: true, definitions: true });
  await plane.kubectl("wait", "--for=condition=Established", "crd", "--all");
});

afterAll(async () => {
  await agent.close();
  await plane.stop();
});

const apply = (input: string) => plane.kubectl("apply", "--validate=strict", "--filename", "-", { input });
const named = (yaml: string): { readonly kind: string; readonly metadata: { readonly name: string } } =>
  parse(yaml) as ReturnType<typeof named>;

const apis = {
  ImagePolicy: "/apis/operator.technomad.dev/v1alpha1/namespaces/default/imagepolicies",
  ServiceImage: "/apis/services.azurehealthcareapis.com/v1alpha1/namespaces/default/serviceimages",
  ImageRegistry: "/apis/registry.lookout.dev/v1alpha1/namespaces/default/imageregistries",
};
type Kind = keyof typeof apis;

async function send(user: User, method: string, path: string, body?: unknown, accept = "application/json") {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(new URL(path, plane.server), {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${plane.tokens[user]}`, "content-type": type, accept },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: response.status, object: (await response.json()) as Readonly<Record<string, unknown>> };
}

/** Returns the columns and the first row, as `kubectl get` shows them; without the age. */
async function shown(kind: Kind, name: string) {
  const { object } = await send(
    "admin",
    "GET",
    `${apis[kind]}/${name}`,
    undefined,
    "application/json;as=Table;v=v1;g=meta.k8s.io",
  );
  const { columnDefinitions, rows } = object as {
    readonly columnDefinitions: readonly { readonly name: string }[];
    readonly rows: readonly { readonly cells: readonly unknown[] }[];
  };
  const cells = columnDefinitions.map((column, index) => [column.name, rows[0]?.cells[index]] as const);
  return Object.fromEntries(cells.filter(([column]) => column !== "Age"));
}

const now = "2026-11-28T12:00:00Z";
const condition = (type: string, status: string, reason: string) => ({
  ...{ type, status, reason, message: "", lastTransitionTime: now, observedGeneration: 1 },
});

const written: Readonly<Record<Kind, { readonly yaml: string; readonly status: object; readonly row: object }>> = {
  ImagePolicy: {
    yaml: printedPolicy,
    status: {
      ...{ lastCheckedTime: now, lastAppliedTag: "1.19.3", observedGeneration: 1 },
      conditions: [condition("Ready", "True", "Applies"), condition("UpToDate", "False", "Window")],
    },
    row: {
      Name: "base-java-updater",
      Repository: "library/openjdk",
      Target: "my-java-app",
      Tag: "1.19.3",
      Ready: "True",
      UpToDate: "False",
      Reason: "Window",
      Message: "",
    },
  },
  ServiceImage: {
    yaml: printedServiceImage,
    status: {
      ...{ observedGeneration: 2, currentPriority: 1 },
      conditions: [condition("Complete", "False", "TierPending"), condition("InProgress", "True", "TierPending")],
      tierStatus: [
        {
          ...{ upgradeTier: "earlyAccess", newDeploymentImage: "ouracr.azurecr.io/dicom-service:v2" },
          conditions: [condition("Complete", "False", "TierPending")],
        },
      ],
    },
    row: {
      Name: "dicom-serviceimage-prod",
      Image: null,
      Priority: 1,
      InProgress: "True",
      Complete: "False",
      Reason: "TierPending",
      Message: "",
    },
  },
  ImageRegistry: {
    yaml: wholeRegistry,
    status: {
      observedGeneration: 1,
      conditions: [
        condition("Ready", "False", "NotInLookoutYaml"),
        condition("AuthValid", "False", "SecretsAreNotRead"),
        condition("AuthExpiringSoon", "Unknown", "NotKnown"),
        condition("RateLimited", "False", "NoLimit"),
        condition("CircuitOpen", "False", "CircuitClosed"),
      ],
    },
    row: { Name: "harbor", Type: "harbor", Ready: "False", Reason: "NotInLookoutYaml", Message: "" },
  },
};
const kinds = Object.entries(written).map(([kind, row]) => ({ kind: kind as Kind, ...row }));

it.each([
  { object: "an ImagePolicy", yaml: printedPolicy },
  { object: "a ServiceImage", yaml: printedServiceImage },
  { object: "an ImageRegistry", yaml: printedRegistry },
  { object: "an ImageRegistry with each field", yaml: wholeRegistry },
])("the API server accepts $object as its text prints it, and kubectl warns of nothing", async ({ yaml }) => {
  const { kind, metadata } = named(yaml);

  expect(await apply(yaml)).toMatch(
    new RegExp(`^${kind.toLowerCase()}[.]\\S+/${metadata.name} (created|unchanged)\\n$`),
  );
});

it.each([
  { status: "of the ServiceImage, without reasons,", kind: "ServiceImage" as const, yaml: printedServiceImage },
  { status: "of the ImageRegistry", kind: "ImageRegistry" as const, yaml: wholeRegistry },
])("the API server accepts the printed status $status", async ({ kind, yaml }) => {
  await apply(yaml);
  const { status } = parse(yaml) as { readonly status: object };
  const path = `${apis[kind]}/${named(yaml).metadata.name}/status?fieldValidation=Strict&dryRun=All`;
  const answer = await send("admin", "PATCH", path, { status });

  expect(answer).toMatchObject({ code: 200, object: { status } });
});

describe.each(kinds)("Lookout's user and $kind", ({ kind, yaml, status, row }) => {
  const { metadata } = named(yaml);
  const own = `${apis[kind]}/${metadata.name}`;
  beforeAll(() => apply(yaml));

  it("reads it, and patches its status, which kubectl get shows", async () => {
    const read = await send("lookout", "GET", own);
    const list = await send("lookout", "GET", apis[kind]);
    const patched = await send("lookout", "PATCH", `${own}/status?fieldValidation=Strict`, { status });

    expect([read.code, list.code, patched.code]).toEqual([200, 200, 200]);
    expect(patched.object).toMatchObject({ status, metadata: { generation: 1 } });
    expect(await shown(kind, metadata.name)).toEqual(row);
  });

  it("changes nothing else with the status", async () => {
    const { object: before } = await send("admin", "GET", own);
    const body = {
      metadata: { labels: { team: "red" }, finalizers: ["x.example.com/y"] },
      spec: { checkInterval: "9m" },
    };
    const { object: after } = await send("lookout", "PATCH", `${own}/status`, { ...body, status });

    expect(after["spec"]).toEqual(before["spec"]);
    expect(after["metadata"]).toMatchObject({ generation: 1 });
    expect(after["metadata"]).not.toHaveProperty("finalizers");
    expect(after).not.toHaveProperty("metadata.labels.team");
  });

  it.each([
    { write: "patch its spec", method: "PATCH", path: own, body: { spec: {} } },
    { write: "replace it", method: "PUT", path: own, body: {} },
    { write: "replace its status", method: "PUT", path: `${own}/status`, body: {} },
    { write: "delete it", method: "DELETE", path: own },
    { write: "delete all", method: "DELETE", path: apis[kind] },
    { write: "create one", method: "POST", path: apis[kind], body: {} },
  ])("may not $write", async ({ method, path, body }) => {
    const object = {
      ...named(yaml),
      metadata: { ...metadata, name: path === apis[kind] ? "made" : metadata.name },
      ...body,
    };
    const { code, object: answer } = await send("lookout", method, path, method === "DELETE" ? undefined : object);

    expect(code).toBe(403);
    expect(answer["message"]).toMatch(
      /is forbidden: User "lookout" cannot (patch|update|delete|deletecollection|create) /,
    );
  });
});

it("kubectl knows the short names and the category", async () => {
  const names = ["ipol", "ir", "imgreg", "lookout"].map((name) => plane.kubectl("get", name, "--output", "name"));
  const [ipol, ir, imgreg, all] = await Promise.all(names);

  expect(ipol).toBe("imagepolicy.operator.technomad.dev/base-java-updater\n");
  expect([ir, imgreg]).toEqual(Array(2).fill(expect.stringContaining("imageregistry.registry.lookout.dev/harbor\n")));
  expect(all).toContain("serviceimage.services.azurehealthcareapis.com/dicom-serviceimage-prod\n");
});

it("kubectl wait understands the conditions", async () => {
  const waited = await plane.kubectl("wait", "ipol/base-java-updater", "--for=condition=Ready", "--timeout=5s");

  expect(waited).toBe("imagepolicy.operator.technomad.dev/base-java-updater condition met\n");
});

describe("with all rights, given by mistake,", () => {
  beforeAll(() =>
    plane.kubectl("create", "clusterrolebinding", "mistake", "--clusterrole=cluster-admin", "--user=lookout"),
  );
  afterAll(() => plane.kubectl("delete", "clusterrolebinding", "mistake"));

  it.each(kinds)("Lookout's user still writes only the status of $kind", async ({ kind, yaml, status }) => {
    const { metadata, ...object } = named(yaml);
    const own = `${apis[kind]}/${metadata.name}`;
    const answers = [
      await send("lookout", "PATCH", own, { metadata: { labels: { team: "red" } } }),
      await send("lookout", "POST", apis[kind], { ...object, metadata: { name: "made" } }),
      await send("lookout", "DELETE", own),
      await send("lookout", "PATCH", `${own}/status`, { status }),
    ];

    expect(answers.map(({ code }) => code)).toEqual([403, 403, 403, 200]);
    expect(answers[0]?.object["message"]).toContain(
      "denied request: Lookout may only patch Deployments, StatefulSets, DaemonSets and CronJobs, and delete pods of StatefulSets, and patch the status of ImagePolicies, ServiceImages and ImageRegistries",
    );
  });

  it("Lookout's user changes no definition of a kind, and no status of other objects", async () => {
    const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/imagepolicies.operator.technomad.dev";
    const answers = [
      await send("lookout", "PATCH", definition, { metadata: { labels: { a: "b" } } }),
      await send("lookout", "PATCH", `${definition}/status`, { status: { storedVersions: ["v1"] } }),
    ];

    expect(answers.map(({ code }) => code)).toEqual([403, 403]);
  });
});

describe("the API server refuses, with the field,", () => {
  const policy = { repository: "registry.example.com/shop/api", tagPolicy: { strategy: "SemVer" } };
  const updateTarget = { kind: "Deployment", name: "api", namespace: "default" };
  const long = "x".repeat(3_000);

  it.each<{ what: string; kind: Kind; spec: unknown; message: string }>([
    { what: "no spec", kind: "ImagePolicy", spec: undefined, message: "spec: Required value" },
    {
      what: "no repository",
      kind: "ImagePolicy",
      spec: { ...policy, updateTarget, repository: undefined },
      message: "spec.repository: Required value",
    },
    {
      what: "a long repository",
      kind: "ImagePolicy",
      spec: { ...policy, updateTarget, repository: long },
      message: "spec.repository: Too long: may not be more than 1024",
    },
    {
      what: "another strategy",
      kind: "ImagePolicy",
      spec: { ...policy, updateTarget, tagPolicy: { strategy: "semver" } },
      message: 'spec.tagPolicy.strategy: Unsupported value: "semver": supported values: "SemVer", "Latest", "Regex"',
    },
    {
      what: "Regex without a pattern",
      kind: "ImagePolicy",
      spec: { ...policy, updateTarget, tagPolicy: { strategy: "Regex" } },
      message: "spec.tagPolicy: Invalid value: the strategy Regex needs a pattern that whole tags match",
    },
    {
      what: "another kind",
      kind: "ImagePolicy",
      spec: { ...policy, updateTarget: { ...updateTarget, kind: "Job" } },
      message: "spec.updateTarget.kind: Unsupported value",
    },
    {
      what: "no interval",
      kind: "ImagePolicy",
      spec: { ...policy, updateTarget, pollIntervalMinutes: 0 },
      message:
        "spec.pollIntervalMinutes: Invalid value: 0: spec.pollIntervalMinutes in body should be greater than or equal to 1",
    },
    {
      what: "no image",
      kind: "ServiceImage",
      spec: { tiers: [{ upgradeTier: "a", image: "a/b:1" }, {}] },
      message: "spec: Invalid value: write defaultImage, or an image into each tier",
    },
    {
      what: "two tiers of one name",
      kind: "ServiceImage",
      spec: { defaultImage: "a/b:1", tiers: [{}, { upgradeTier: "" }] },
      message: 'spec.tiers[1]: Duplicate value: {"upgradeTier":""}',
    },
    {
      what: "21 tiers",
      kind: "ServiceImage",
      spec: { defaultImage: "a/b:1", tiers: Array.from({ length: 21 }, (_, index) => ({ upgradeTier: `t${index}` })) },
      message: "spec.tiers: Too many: 21: must have at most 20 items",
    },
    {
      what: "another type",
      kind: "ImageRegistry",
      spec: { type: "ECR" },
      message: 'spec.type: Unsupported value: "ECR"',
    },
    {
      what: "a url without a scheme",
      kind: "ImageRegistry",
      spec: { type: "harbor", harbor: { url: "harbor.example.com" } },
      message: "spec.harbor.url: Invalid value",
    },
    {
      what: "too many requests",
      kind: "ImageRegistry",
      spec: { type: "quay", rateLimiting: { requestsPerSecond: 101 } },
      message: "spec.rateLimiting.requestsPerSecond: Invalid value: 101",
    },
  ])("$what of $kind", async ({ kind, spec, message }) => {
    const apiVersion = apis[kind].split("/").slice(2, 4).join("/");
    const { code, object } = await send("admin", "POST", apis[kind], {
      apiVersion,
      kind,
      metadata: { name: "bad" },
      spec,
    });

    expect({ code, message: String(object["message"]) }).toEqual({
      code: 422,
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("the check of the rights", () => {
  const rights = async () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(plane.kubeconfigFor("lookout"));
    const cluster = clusterOfContext({ name: "bed", kubeConfig });
    try {
      return await cluster.rights(new AbortController().signal);
    } finally {
      await cluster.close();
    }
  };
  const role = ["clusterrole", "lookout"] as const;
  it("misses nothing with the printed rights", async () => {
    expect(await rights()).toEqual({ kind: "rights", missing: [], definitions: definitionKinds });
  });

  it("names the kinds that the cluster has and that Lookout may not report, without a missing right", async () => {
    const { rules } = JSON.parse(await plane.kubectl("get", ...role, "-o", "json")) as {
      readonly rules: readonly { readonly resources: readonly string[] }[];
    };
    const path = `/rules/${rules.findIndex(({ resources }) => resources.includes("serviceimages/status"))}`;
    await plane.kubectl("patch", ...role, "--type=json", "--patch", JSON.stringify([{ op: "remove", path }]));

    const found = await until("the right is gone", async () => {
      const answer = await rights();
      return "ignored" in answer ? answer : undefined;
    });

    expect(found).toEqual({ kind: "rights", missing: [], ignored: ["ServiceImage"], definitions: definitionKinds });
    await giveAccess(plane, { deletePods: true, definitions: true });
  });
});

describe("over the definition of the earlier controller", () => {
  const old = `${apis.ImagePolicy}/base-java-updater`;
  const status = written.ImagePolicy.status;
  const { kind, metadata, ...rest } = parse(printedPolicy) as ReturnType<typeof named> & { readonly spec: object };
  const strange = { ...rest, kind, metadata: { ...metadata, name: "strange" } };
  const spec = { ...rest.spec, tagPolicy: { strategy: "Regex" }, pollIntervalMinutes: 0 };

  beforeAll(async () => {
    const [definition] = definitionsOf() as [{ readonly metadata: { readonly name: string } }];
    await plane.kubectl("delete", "crd", definition.metadata.name);
    await apply(printedDefinition);
    await plane.kubectl("wait", "--for=condition=Established", "crd", definition.metadata.name);
    await until("the old definition is served", async () => {
      await apply(JSON.stringify({ ...strange, spec }));
      const { code } = await send("lookout", "PATCH", `${apis.ImagePolicy}/strange/status`, { status });
      return code === 404 || undefined;
    });
    await apply(printedPolicy);
    await plane.apply([definition]);
    await until("the new definition is served", async () => {
      const { code } = await send("lookout", "PATCH", `${old}/status`, { status });
      return code === 200 || undefined;
    });
  });

  it("the objects stay, and get a status", async () => {
    const { object } = await send("lookout", "GET", old);

    expect(object).toMatchObject({ spec: rest.spec, status });
    expect(await shown("ImagePolicy", "base-java-updater")).toEqual(written.ImagePolicy.row);
  });

  it("an object that the new definition would refuse gets a status, too", async () => {
    const patched = await send("lookout", "PATCH", `${apis.ImagePolicy}/strange/status`, { status });

    expect(patched).toMatchObject({ code: 200, object: { spec, status } });
  });
});
