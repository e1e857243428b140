import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterManifests } from "#cli/manifests/cluster-manifests";
import { parseConfiguration } from "#contracts/config/configuration";
import { lookoutVersion } from "#contracts/version";
import { blocksOf, page } from "#test/docs/markdown";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { printedDefinition, printedPolicy } from "./seed-definitions.ts";
import { chart, helm, only, type Rendered, rendered, renderedText, renderedWith } from "./chart.ts";

/** The Prometheus operator's kind, as far as the chart uses it. */
const serviceMonitors = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "servicemonitors.monitoring.coreos.com" },
  spec: {
    group: "monitoring.coreos.com",
    scope: "Namespaced",
    names: { kind: "ServiceMonitor", plural: "servicemonitors", singular: "servicemonitor" },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
const files = readdirSync(join(chart, "ci")).map((name) => ({ name, file: join(chart, "ci", name) }));

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  await plane.apply([
    serviceMonitors,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "lookout", labels: restricted } },
    ...["lookout", "image-updates"].map((name) => ({
      ...{ apiVersion: "v1", kind: "ServiceAccount" },
      metadata: { name, namespace: "lookout" },
    })),
  ]);
  await plane.kubectl("wait", "--for=condition=Established", "crd", serviceMonitors.metadata.name);
});

afterAll(() => plane.stop());

const dryRun = (input: string) =>
  plane.kubectl("apply", "--dry-run=server", "--validate=strict", "--filename", "-", { input });

it("there are ten files of values", () => {
  expect(files).toHaveLength(10);
});

describe.each(files)("the chart with $name", ({ file }) => {
  it("passes helm lint", async () => {
    expect(await helm(["lint", chart, "--strict", "--values", file])).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  it("is accepted by the API server", async () => {
    const text = await renderedText("--values", file);
    const accepted = (await dryRun(text)).trim().split("\n");

    expect(accepted).toHaveLength(text.match(/^kind: /gm)?.length ?? 0);
    expect(accepted.filter((line) => !line.endsWith(" (server dry run)"))).toEqual([]);
  });

  it("has a pod that a restricted namespace admits", async () => {
    const { spec } = only(await rendered("--values", file), "Deployment") as unknown as {
      readonly spec: { readonly template: { readonly spec: object } };
    };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "lookout", namespace: "lookout" } };

    expect(await dryRun(JSON.stringify({ ...pod, spec: spec.template.spec }))).toBe(
      "pod/lookout created (server dry run)\n",
    );
  });

  it("has a valid lookout.yaml", async () => {
    const { data } = only(await rendered("--values", file), "ConfigMap") as unknown as {
      readonly data: Readonly<Record<string, string>>;
    };

    expect(parseConfiguration(parse(data["lookout.yaml"] ?? ""))).toMatchObject({
      ok: true,
      value: { listen: { host: "0.0.0.0", port: 4040 } },
    });
  });
});

/** A kind whose pod template is at the place that the chart knows. */
const ownKind = {
  group: "pool.example.com",
  version: "v1",
  kind: "Pool",
  plural: "pools",
  template: "spec.template",
  pods: { selector: "spec.selector" },
  ready: [{ condition: "Ready" }],
};

describe("the chart's rights", () => {
  const combinations = [false, true].flatMap((deletePods) =>
    [false, true].flatMap((readNodes) => [false, true].map((definitions) => ({ deletePods, readNodes, definitions }))),
  );

  it.each(combinations)(
    "are those of lookout cluster manifests ($deletePods, $readNodes, $definitions)",
    async ({ definitions, ...choices }) => {
      const subjects = [{ kind: "ServiceAccount", namespace: "lookout", name: "lookout" }] as const;
      const all = clusterManifests({ subjects, definitions, ...choices }).map(
        ({ object }) => object as unknown as Rendered,
      );
      const printed = all.filter(({ kind }) => kind !== "Namespace" && kind !== "ServiceAccount");
      const kinds = printed.map(({ kind }) => kind);
      const objects = await renderedWith({ rights: choices, definitions });

      expect(objects.filter(({ kind }) => kinds.includes(kind)).sort(byKindIn(kinds))).toEqual(printed.map(asKept));
    },
  );

  it("cover the kinds of lookout.yaml", async () => {
    const config = { kinds: ["knative-services", "argo-rollouts", ownKind] };
    const parsed = parseConfiguration(config);
    const kinds = parsed.ok ? parsed.value.kinds : [];
    const subjects = [{ kind: "ServiceAccount", namespace: "lookout", name: "lookout" }] as const;
    const choices = { deletePods: true, readNodes: true };
    const all = clusterManifests({ subjects, kinds, definitions: true, ...choices });
    const ofRights = (objects: readonly object[]) =>
      objects.filter(
        (object) => /Role$|Policy$/.test((object as Rendered).kind) && (object as Rendered).kind !== "NetworkPolicy",
      );

    expect(kinds).toHaveLength(3);
    expect(ofRights(await renderedWith({ config, rights: choices, definitions: true }))).toEqual(
      ofRights(all.map(({ object }) => object)),
    );
  });

  it.each([
    ["an unknown row", "argo-rollout", '"argo-rollout"'],
    ["single images", { ...ownKind, template: undefined, images: { app: "spec.image" } }, '"plural":"pools"'],
    ["another template", { ...ownKind, template: "spec.pods" }, '"template":"spec.pods"'],
    ["a group that is none", { ...ownKind, group: `x"] || true || ["` }, "|| true ||"],
    ["no group", { template: "spec.template", plural: "pools" }, '"template":"spec.template"'],
  ])("name the manifests for a kind with %s", async (_, kind, named) => {
    const values = { config: { kinds: [kind] } };
    const said = await renderedWith(values).catch(String);

    expect(said).toContain("config.kinds: the chart has no rights for ");
    expect(said).toContain(named);
    expect(said).toContain(
      "set rights.create=false, and apply: npx lookout cluster manifests --config lookout.yaml --service-account lookout/lookout",
    );
    expect((await renderedWith({ ...values, rights: { create: false } })).length).toBeGreaterThan(0);
  });

  it("are absent with rights.create=false, also those of definitions", async () => {
    const objects = await rendered("--set", "rights.create=false,definitions=true");

    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      new Set([
        ...["CustomResourceDefinition", "ConfigMap", "Deployment", "NetworkPolicy", "PersistentVolumeClaim"],
        ...["Service", "ServiceAccount"],
      ]),
    );
  });

  it("are absent with rights.create=false", async () => {
    const objects = await rendered("--set", "rights.create=false");

    expect(objects.map(({ kind }) => kind).sort()).toEqual(
      ["ConfigMap", "Deployment", "NetworkPolicy", "PersistentVolumeClaim", "Service", "ServiceAccount"].sort(),
    );
  });
});

/** Returns a definition as the chart has it: `helm uninstall` keeps it. */
function asKept(object: Rendered): object {
  if (object.kind !== "CustomResourceDefinition") return object;
  return { ...object, metadata: { ...object.metadata, annotations: { "helm.sh/resource-policy": "keep" } } };
}

function byKindIn(kinds: readonly unknown[]) {
  return (one: { readonly kind: string }, other: { readonly kind: string }) =>
    kinds.indexOf(one.kind) - kinds.indexOf(other.kind);
}

it("without the pod's cluster, the pod has no token of Kubernetes, and Lookout only the named clusters", async () => {
  const objects = await renderedWith({
    cluster: { enabled: false },
    config: { clusters: [{ name: "prod", eks: { name: "prod-1" } }] },
  });
  const { data } = only(objects, "ConfigMap") as unknown as { readonly data: Readonly<Record<string, string>> };

  expect(Object.keys(data)).toEqual(["lookout.yaml"]);
  expect(parse(data["lookout.yaml"] ?? "")).toEqual({
    clusters: [{ name: "prod", eks: { name: "prod-1" } }],
    listen: "0.0.0.0:4040",
  });
  expect(only(objects, "Deployment")).toMatchObject({
    spec: { template: { spec: { automountServiceAccountToken: false } } },
  });
});

describe("a wrong value is refused with its name:", () => {
  it.each([
    ["replicas=2", "additional properties 'replicas' not allowed"],
    ["image.name=lookout", "at '/image': additional properties 'name' not allowed"],
    ["cluster.settings.namespace=shop", "at '/cluster/settings': additional properties 'namespace' not allowed"],
    ["rights.deletePod=true", "at '/rights': additional properties 'deletePod' not allowed"],
    ["serviceAccount.roleArn=x", "at '/serviceAccount': additional properties 'roleArn' not allowed"],
    ["persistence.sise=1Gi", "at '/persistence': additional properties 'sise' not allowed"],
    ["ingress.hosts[0]=x", "at '/ingress': additional properties 'hosts' not allowed"],
    ["networkPolicy.allow=x", "at '/networkPolicy': additional properties 'allow' not allowed"],
    [
      "serviceMonitor.tokenSecret.token=x",
      "at '/serviceMonitor/tokenSecret': additional properties 'token' not allowed",
    ],
    ["resources.request.cpu=1", "at '/resources': additional properties 'request' not allowed"],
    ["persistence.size=much", "at '/persistence/size'"],
    ["image.digest=latest", "at '/image/digest'"],
    ["secrets[0]=,secrets[1]=x", "at '/secrets/0'"],
    ["config.listen=0.0.0.0:80", "config.listen can't be set: the chart sets it; remove it from config"],
    ["config.dataDir=/data", "config.dataDir can't be set: the chart sets it; remove it from config"],
    ["cluster.enabled=false", "Lookout has no cluster: set cluster.enabled=true, or name clusters in config.clusters"],
    [
      "serviceAccount.create=false",
      "serviceAccount.name is empty: name the existing service account, or set serviceAccount.create=true",
    ],
    [
      "ingress.enabled=true,networkPolicy.enabled=false",
      "ingress.host is empty: name the host of the webhooks, such as lookout.example.com",
    ],
    [
      "serviceMonitor.enabled=true,networkPolicy.enabled=false",
      "serviceMonitor.tokenSecret.name is empty: name the Secret with a token of the role viewer",
    ],
    ["ingress.enabled=true,ingress.host=x", "networkPolicy.from is empty, so nobody reaches the Ingress or /metrics"],
  ])("%s", async (set, message) => {
    await expect(renderedText("--set", set)).rejects.toThrow(message);
  });
});

describe("docs/in-cluster.md", () => {
  const blocks = blocksOf(page("docs/in-cluster.md"));
  const lines = blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => text.split("\n"));

  it("has values that the chart accepts", async () => {
    const examples = blocks.filter(({ language }) => language === "yaml").map(({ text }) => parse(text) as object);
    const kinds = await Promise.all(
      examples.map(async (values) => (await renderedWith(values)).map(({ kind }) => kind)),
    );

    expect(kinds).toEqual([expect.arrayContaining(["Ingress", "Deployment"])]);
  });

  it.each(["install", "upgrade"])("has a command helm %s with flags that exist", async (verb) => {
    const [line = ""] = lines.filter((one) => one.startsWith(`helm ${verb}`));
    const words = line
      .replace("deploy/chart", chart)
      .replace(/--values \S+/, "")
      .trim()
      .split(/ +/)
      .slice(1);
    const alike = verb === "upgrade" ? ["--install"] : [];

    expect(await helm([...words, ...alike, "--dry-run=client"], plane.kubeconfig)).toContain("STATUS: pending-install");
  });
});

it("has a description of each value, and no others", async () => {
  const values = parse(await readFile(join(chart, "values.yaml"), "utf8")) as object;
  const { properties } = JSON.parse(await readFile(join(chart, "values.schema.json"), "utf8")) as {
    readonly properties: object;
  };

  expect(Object.keys(properties).filter((key) => key !== "global")).toEqual(Object.keys(values));
});

it("has the version of Lookout", async () => {
  const about = parse(await readFile(join(chart, "Chart.yaml"), "utf8")) as Readonly<Record<string, string>>;

  expect([about["version"], about["appVersion"]]).toEqual([lookoutVersion, lookoutVersion]);
});

it("deploy/install.yaml is current; otherwise: npx vitest run --config vitest.cluster.config.ts test/cluster/chart.test.ts -u", async () => {
  const head = `# Lookout in the namespace lookout: the chart in deploy/chart with its default values.
# Write your image into the Deployment, and your receivers and registries into the ConfigMap.
#   kubectl apply -f deploy/install.yaml
apiVersion: v1
kind: Namespace
metadata:
  name: lookout
`;
  await expect(head + (await renderedText())).toMatchFileSnapshot("../../deploy/install.yaml");
});

it("helm uninstall leaves the claim of the state, and the next helm install uses it", async () => {
  const named = ["lookout", "--namespace", "updates"];
  const install = ["install", ...named, "--create-namespace", chart];
  const installed = await helm(install, plane.kubeconfig);
  const kinds = "deployments,configmaps,services,networkpolicies,persistentvolumeclaims,serviceaccounts";
  const left = (): Promise<string> =>
    plane.kubectl(
      ...["get", kinds, "--selector", "app.kubernetes.io/name=lookout", "--namespace", "updates", "--output", "name"],
    );
  const policy = ["get", "validatingadmissionpolicy", "lookout-images-only", "--output", "name"];
  await helm(["uninstall", ...named], plane.kubeconfig);

  expect(installed).toContain("kubectl exec --namespace updates deploy/lookout -- lookout doctor");
  expect(await left()).toBe("persistentvolumeclaim/lookout\n");
  await expect(plane.kubectl(...policy)).rejects.toThrow("not found");
  await helm(install, plane.kubeconfig);
  expect((await left()).trim().split("\n").sort()).toEqual([
    "configmap/lookout",
    "deployment.apps/lookout",
    "networkpolicy.networking.k8s.io/lookout",
    "persistentvolumeclaim/lookout",
    "service/lookout",
    "serviceaccount/lookout",
  ]);
});

it("helm takes over definitions of another controller on request, and uninstall leaves them with their objects", async () => {
  const place = ["lookout", "--namespace", "declared"];
  const words = ["install", ...place, "--create-namespace", chart, "--set", "definitions=true"];
  const policy = () => plane.kubectl("get", "ipol", "--all-namespaces", "--output", "name");
  await plane.apply(printedDefinition);
  await plane.kubectl("wait", "--for=condition=Established", "crd", "imagepolicies.operator.technomad.dev");
  await plane.apply(printedPolicy);

  await expect(helm(words, plane.kubeconfig)).rejects.toThrow("imagepolicies.operator.technomad.dev");
  await helm([...words, "--take-ownership", "--force-conflicts"], plane.kubeconfig);
  await helm(["uninstall", ...place], plane.kubeconfig);

  expect(await policy()).toBe("imagepolicy.operator.technomad.dev/base-java-updater\n");
  await helm(words, plane.kubeconfig);
  await helm(["uninstall", ...place], plane.kubeconfig);
  expect(await policy()).toBe("imagepolicy.operator.technomad.dev/base-java-updater\n");
});
