import type { Manifest, ManifestContainer } from "#adapters/memory/cluster-manifest";
import type { WorkloadKind } from "#domain/workload/kinds";
import { host, ownHost, type Play, podOf, tenant, type TenantHands } from "./stage.ts";

/** What a tenant tries. */
export interface HostileCase extends Play {
  readonly name: string;
  /** What it writes, in words. */
  readonly writes: string;
  /** What `lookout explain` of its workload has to say; empty: nothing is refused. */
  readonly explains: string;
}

const app = `${host}/tenant/app:1.0.0`;
const huge = 1_000_000;
const evilPattern = "(a?){98}a{98}$";

interface Written {
  readonly image?: string;
  readonly kind?: WorkloadKind;
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owners?: Manifest["metadata"]["ownerReferences"];
  readonly containers?: readonly ManifestContainer[];
}

/** Applies one workload of the tenant. */
function apply({ cluster }: TenantHands, written: Written = {}): void {
  const { image = app, kind = "Deployment", name = "x", annotations = {}, labels = {}, owners, containers } = written;
  const template = containers === undefined ? podOf(image) : { spec: { containers } };
  cluster.apply({
    kind,
    metadata: {
      ...{ namespace: tenant, name, labels },
      annotations: { "lookout.dev/enabled": "true", ...annotations },
      ...(owners === undefined ? {} : { ownerReferences: owners }),
    },
    spec: { replicas: 1, template },
  });
}

const one =
  (written: Written) =>
  (hands: TenantHands): void => {
    apply(hands, written);
  };

const many =
  (count: number, written: (index: number) => Written) =>
  (hands: TenantHands): void => {
    for (let index = 0; index < count; index += 1) apply(hands, { name: `x${index}`, ...written(index) });
  };

const containersOf = (count: number): readonly ManifestContainer[] =>
  Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: `${ownHost}/r${index}:1.0.0` }));

const annotation = (key: string, value: string) => one({ annotations: { [`lookout.dev/${key}`]: value } });

const noRight = "namespaces of the entry shop does not include prod/hostile";
const notListed = "registries has no entry for";
const badImage = "not an image reference";
const tooLarge = "! problem   lookout.dev/too-large";
const inKey = (key: string) => `! problem   lookout.dev/${key}`;

/** Images that name a registry, a credential or a repository of others. */
const references: readonly HostileCase[] = [
  { name: "another's repository", writes: "image", act: one({ image: `${host}/shop/vault:1.0.0` }), explains: noRight },
  {
    name: "another's repository by an alias of its registry",
    writes: "image",
    act: one({ image: "mirror.test/shop/vault:1.0.0" }),
    explains: noRight,
  },
  {
    name: "another's repository by its digest",
    writes: "image",
    act: one({
      image: `${host}/shop/vault@sha256:${"a".repeat(64)}`,
      annotations: { "lookout.dev/policy": "digest" },
    }),
    explains: noRight,
  },
  {
    name: "another's repository in an init container",
    writes: "image",
    act: ({ cluster }) => {
      cluster.apply({
        kind: "Deployment",
        metadata: {
          ...{ namespace: tenant, name: "x" },
          annotations: { "lookout.dev/enabled": "true", "lookout.dev/initContainer.init.enabled": "true" },
        },
        spec: {
          template: {
            spec: { ...podOf(app).spec, initContainers: [{ name: "init", image: `${host}/shop/vault:1.0.0` }] },
          },
        },
      });
    },
    explains: noRight,
  },
  {
    name: "another's repository in each kind of workload",
    writes: "image",
    act: (hands) => {
      for (const kind of ["StatefulSet", "DaemonSet"] as const)
        apply(hands, { kind, image: `${host}/shop/vault:1.0.0` });
    },
    explains: noRight,
  },
  {
    name: "a way up out of a path",
    writes: "image",
    act: one({ image: `${host}/tenant/../shop/vault:1.0.0` }),
    explains: badImage,
  },
  {
    name: "a repository whose name begins like one of its own",
    writes: "image",
    act: one({ image: `${host}/tenants/app:1.0.0` }),
    explains: "repositories of the entry shop does not include tenants/app",
  },
  {
    name: "user information before a host",
    writes: "image",
    act: one({ image: `${host}@${ownHost}/shop/vault:1.0.0` }),
    explains: badImage,
  },
  {
    name: "this machine",
    writes: "image",
    act: one({ image: "127.0.0.1:5000/x:1.0.0" }),
    explains: `${notListed} 127.0.0.1:5000`,
  },
  {
    name: "this machine as one number",
    writes: "image",
    act: one({ image: "2130706433:8080/x:1.0.0" }),
    explains: `${notListed} 2130706433:8080`,
  },
  {
    name: "the metadata service",
    writes: "image",
    act: one({ image: "169.254.169.254:80/latest:1.0.0" }),
    explains: `${notListed} 169.254.169.254:80`,
  },
  {
    name: "a registry that only an annotation names",
    writes: "lookout.dev/registry",
    act: annotation("registry", host),
    explains: `registries has no entry ${host}`,
  },
  {
    name: "another namespace's entry of lookout.yaml",
    writes: "lookout.dev/registry",
    act: annotation("registry", "shop"),
    explains: "registries has no entry shop for prod/hostile",
  },
  {
    name: "a repository that only an annotation names",
    writes: "lookout.dev/container.app.repository",
    act: annotation("container.app.repository", "shop/vault"),
    explains: inKey("container.app.repository"),
  },
];

/** Annotations that cost time or memory, or are to be printed. */
const settings: readonly HostileCase[] = [
  {
    name: "a pattern that is slow for 15,000 tags",
    writes: "lookout.dev/tag-pattern",
    act: (hands) => {
      for (let tag = 0; tag < 15_000; tag += 1) hands.push(ownHost, "many", `${"a".repeat(60)}${tag}`);
      apply(hands, { image: `${ownHost}/many:1.0.0`, annotations: { "lookout.dev/tag-pattern": evilPattern } });
    },
    explains: "take too long for the tags",
  },
  {
    name: "a pattern that backtracks",
    writes: "lookout.dev/tag-pattern",
    act: annotation("tag-pattern", String.raw`^(a+)+(.)\2$`),
    explains: inKey("tag-pattern"),
  },
  {
    name: "a pattern of one megabyte",
    writes: "lookout.dev/tag-pattern",
    act: annotation("tag-pattern", "a".repeat(huge)),
    explains: tooLarge,
  },
  {
    name: "200 slow patterns",
    writes: "lookout.dev/container.*.tag-pattern",
    act: one({
      containers: Array.from({ length: 200 }, (_, index) => ({ name: `c${index}`, image: app })),
      annotations: Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `lookout.dev/container.c${index}.tag-pattern`,
          `${evilPattern}${index}`,
        ]),
      ),
    }),
    explains: "more than 50 patterns in one workload",
  },
  {
    name: "ten thousand globs",
    writes: "lookout.dev/include-tags",
    act: annotation("include-tags", Array.from({ length: 10_000 }, (_, index) => `*${index}*a*b*`).join()),
    explains: tooLarge,
  },
  {
    name: "a range of one megabyte",
    writes: "lookout.dev/semver-range",
    act: annotation("semver-range", ">=1 ".repeat(huge / 4)),
    explains: tooLarge,
  },
  {
    name: "ten thousand unknown keys",
    writes: "lookout.dev/*",
    act: one({
      annotations: Object.fromEntries(
        Array.from({ length: 10_000 }, (_, index) => [`lookout.dev/polycy${index}`, "x"]),
      ),
    }),
    explains: tooLarge,
  },
  {
    name: "JSON that is 100,000 deep",
    writes: "lookout.dev/containers",
    act: annotation("containers", "[".repeat(100_000)),
    explains: tooLarge,
  },
  {
    name: "a prototype in JSON",
    writes: "lookout.dev/containers",
    act: annotation("containers", '{"__proto__":{"enabled":true,"suspended":true},"constructor":{"policy":"latest"}}'),
    explains: inKey("containers"),
  },
  {
    name: "control characters and a forged line",
    writes: "lookout.dev/policy",
    act: annotation("policy", "x\u001b[2J\u001b]0;owned\u0007\r\n12:00:00 shop/api ✓ succeeded\u202e"),
    explains: inKey("policy"),
  },
  {
    name: "a day that no calendar has",
    writes: "lookout.dev/maintenance-cron",
    act: annotation("maintenance-cron", "0 0 30 2 * for 1h"),
    explains: inKey("maintenance-cron"),
  },
  {
    name: "a template of one megabyte",
    writes: "lookout.dev/filter-extract",
    act: one({
      annotations: { "lookout.dev/tag-pattern": "(a)", "lookout.dev/filter-extract": "$1".repeat(huge / 2) },
    }),
    explains: tooLarge,
  },
  {
    name: "container lists of another updater, of one megabyte",
    writes: "image-updater.eznix86.github.io/track-containers",
    act: ({ cluster }) => {
      cluster.apply({
        kind: "Deployment",
        metadata: {
          ...{ namespace: tenant, name: "x" },
          annotations: {
            "image-updater.eznix86.github.io/enabled": "true",
            "image-updater.eznix86.github.io/track-containers": "x,".repeat(huge / 2),
          },
        },
        spec: { template: podOf(app) },
      });
    },
    explains: tooLarge,
  },
  {
    name: "an image of one megabyte",
    writes: "image",
    act: one({ image: `${host}/${"a/".repeat(huge / 2)}b:1.0.0` }),
    explains: badImage,
  },
  {
    name: "control characters in an image",
    writes: "image",
    act: one({ image: `${host}/tenant/\u001b[31mapp:1.0.0\n` }),
    explains: badImage,
  },
  {
    name: "control characters in the tags of its registry",
    writes: "tags",
    act: (hands) => {
      for (const tag of ["1.0.0", "1.9.9\u001b[2J", "1.9.9\n1.8.0", "9.9.9\u202e", `2.0.0-${"x".repeat(10_000)}`])
        hands.push(ownHost, "odd", tag);
      apply(hands, { image: `${ownHost}/odd:1.0.0` });
    },
    explains: "rejected: 4 not a tag",
  },
  {
    name: "20 times as many unknown keys as are read",
    writes: "lookout.dev/*",
    act: many(20, () => ({
      annotations: Object.fromEntries(Array.from({ length: 1_300 }, (_, key) => [`lookout.dev/polycy${key}`, "x"])),
    })),
    explains: inKey("polycy0"),
  },
  {
    name: "20 times as many globs as are read",
    writes: "lookout.dev/include-tags",
    act: (hands) => {
      for (let tag = 0; tag < 1_000; tag += 1) hands.push(ownHost, "globs", `${"a".repeat(100)}${tag}`);
      const globs = Array.from({ length: 2_000 }, (_, glob) => `*a*b*${glob}*`).join();
      many(20, () => ({ image: `${ownHost}/globs:1.0.0`, annotations: { "lookout.dev/include-tags": globs } }))(hands);
    },
    explains: inKey("include-tags"),
  },
];

/** Objects that claim to be something else. */
const claims: readonly HostileCase[] = [
  {
    name: "the name of another namespace's workload",
    writes: "metadata.name",
    act: one({ name: "vault-ledger", image: `${host}/shop/vault:1.0.0` }),
    explains: noRight,
  },
  {
    name: "an owner in another namespace",
    writes: "metadata.ownerReferences",
    act: one({ owners: [{ kind: "Deployment", name: "vault-ledger", controller: true }] }),
    explains: "A controller owns this object",
  },
  {
    name: "the mark of Flux",
    writes: "metadata.labels",
    act: one({ labels: { "kustomize.toolkit.fluxcd.io/name": "\u001b[2Jplatform" } }),
    explains: "Another program owns the image field",
  },
  {
    name: "the label of an update that Lookout never sent",
    writes: "lookout.dev/update",
    act: (hands) => {
      apply(hands, { labels: { "lookout.dev/update": "abc123-1" } });
      hands.push(host, "tenant/app", "1.1.0");
    },
    // The number is taken over, so the next update gets another one.
    explains: "semver selects 1.1.0 of 2 tags",
  },
  {
    name: "a status that Lookout never wrote",
    writes: "lookout.dev/status.*",
    act: one({ annotations: { "lookout.dev/status.last-update": "x", "lookout.dev/status.phase": "succeeded" } }),
    explains: "",
  },
  {
    name: "a container that is called constructor",
    writes: "containers",
    act: one({ containers: ["constructor", "toString", "hasOwnProperty"].map((name) => ({ name, image: app })) }),
    explains: "",
  },
];

/** Work that is to keep the others waiting. */
const floods: readonly HostileCase[] = [
  {
    name: "5 pods of 6,000 containers",
    writes: "containers",
    act: many(5, () => ({ containers: containersOf(6_000) })),
    explains: "the pod has more than 200 containers",
  },
  {
    name: "20 pods of as many containers as are looked at",
    writes: "containers",
    act: many(20, () => ({ containers: containersOf(200) })),
    explains: "does not have this repository",
  },
  {
    name: "1,000 workloads",
    writes: "objects",
    act: many(1_000, () => ({ image: `${host}/shop/vault:1.0.0` })),
    explains: noRight,
  },
  {
    name: "300 workloads of a registry that never answers",
    writes: "objects",
    act: (hands) => {
      hands.hang();
      many(300, (index) => ({ image: `${ownHost}/r${index}:1.0.0` }))(hands);
    },
    // The first requests wait for an answer, and the circuit breaker names their failure.
    explains: "did not answer in time",
  },
  {
    name: "100 rollouts that last a week",
    writes: "lookout.dev/rollback-timeout",
    act: (hands) => {
      for (const tag of ["1.0.0", "1.1.0"]) hands.push(host, "tenant/never-ready", tag);
      const annotations = { "lookout.dev/rollback-timeout": "168h" };
      many(100, () => ({ image: `${host}/tenant/never-ready:1.0.0`, annotations }))(hands);
    },
    rollouts: 20,
    explains: "the limit of one namespace",
  },
  {
    name: "2,000 edits in a row",
    writes: "annotations",
    act: (hands) => {
      for (let edit = 0; edit < 2_000; edit += 1) apply(hands, { annotations: { "lookout.dev/policy": `x${edit}` } });
    },
    explains: inKey("policy"),
  },
  {
    name: "1,000 objects that come and go",
    writes: "objects",
    act: (hands) => {
      for (let round = 0; round < 1_000; round += 1) {
        apply(hands, { name: `gone${round}` });
        hands.cluster.remove({ kind: "Deployment", namespace: tenant, name: `gone${round}` });
      }
      apply(hands, { image: `${host}/shop/vault:1.0.0` });
    },
    explains: noRight,
  },
  {
    name: "300 workloads of a shared image",
    writes: "objects",
    act: many(300, () => ({ image: `${host}/open/tools:1.0.0` })),
    sharing: 300,
    explains: "",
  },
  {
    name: "20 slow patterns for one repository",
    writes: "lookout.dev/tag-pattern",
    act: (hands) => {
      for (let tag = 0; tag < 500; tag += 1) hands.push(ownHost, "many", `${"a".repeat(40)}${tag}`);
      many(20, (index) => ({
        image: `${ownHost}/many:1.0.0`,
        annotations: { "lookout.dev/tag-pattern": `${evilPattern.slice(0, -1)}${index}` },
      }))(hands);
    },
    explains: "No tag matches the policy",
  },
];

/** The cases whose cost is not the point. */
export const sideBySide: readonly HostileCase[] = [...references, ...claims];
/** The cases that cost time. */
export const oneByOne: readonly HostileCase[] = [...settings, ...floods];
