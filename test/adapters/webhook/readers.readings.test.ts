import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadReader } from "#adapters/webhook/readers";
import type { ReceiverKind } from "#contracts/config/receiver-kinds";
import { requestOf, summaryOf } from "./fixtures.ts";

/**
 * What is not among the recorded notifications, and what registries are known to send all the same.
 */
interface Case {
  readonly kind: ReceiverKind;
  readonly because: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `host/path:tag,tag@digest` of each push; else the outcome. */
  readonly expected: readonly string[] | "ignored" | "invalid";
}

const hex = "a1".repeat(32);
const digest = `sha256:${hex}`;
const registry = "configured.example.com";
const github = { "X-GitHub-Event": "package", "X-GitHub-Delivery": "d-1" };

const container = (version: object) => ({
  action: "published",
  package: { name: "App", package_type: "container", owner: { login: "Octo" }, package_version: version },
});
const tagged = (tag: object) => container({ container_metadata: { tag } });
const hub = (push: object, repository: object = { repo_name: "team/app" }) => ({ push_data: push, repository });
const harbor = (resource: object) => ({ type: "PUSH_ARTIFACT", event_data: { resources: [resource] } });
const gar = (notification: unknown) => ({
  message: { data: Buffer.from(JSON.stringify(notification)).toString("base64"), messageId: "1" },
});
const jfrog = (data: object) => ({
  domain: "docker",
  event_type: "pushed",
  data: { repo_key: "docker-local", path: "team/app/1.0/manifest.json", tag: "1.0", ...data },
  jpd_origin: "https://jfrog.example.com:8443/artifactory",
});
const nexus = { "X-Nexus-Webhook-Id": "rm:repository:component" };
const component = (version: string, action = "UPDATED") => ({
  action,
  component: { format: "docker", name: "app", version },
});
const gitea = { "X-Gitea-Event": "package" };
const packageOf = (version: string, change: object = {}) => ({
  action: "created",
  package: {
    ...{ type: "container", name: "App", version, owner: { login: "Org" } },
    ...{ html_url: "https://git.example.com/Org/-/packages/container/app/1", ...change },
  },
});
const manifest = "{}";
const ofManifest = `sha256:${createHash("sha256").update(manifest).digest("hex")}`;
const zot = { "Ce-Type": "zotregistry.image.updated" };
const image = (id: string) => ({
  context: { type: "dev.cdevents.artifact.published.0.2.0" },
  subject: { id },
});

const cases: readonly Case[] = [
  {
    ...{ kind: "ghcr", because: "the image of an index, which has no tag", headers: github },
    ...{ body: tagged({ name: "", digest }), expected: [`ghcr.io/octo/app@${digest}`] },
  },
  {
    ...{ kind: "ghcr", because: "a digest where the tag belongs", headers: github },
    ...{ body: tagged({ name: digest, digest }), expected: [`ghcr.io/octo/app@${digest}`] },
  },
  {
    ...{ kind: "ghcr", because: "a form", headers: { ...github, "Content-Type": "application/x-www-form-urlencoded" } },
    body: new URLSearchParams({ payload: JSON.stringify(tagged({ name: "1.0" })) }).toString(),
    expected: ["ghcr.io/octo/app:1.0"],
  },
  {
    ...{ kind: "ghcr", because: "a ping", headers: { "X-GitHub-Event": "ping" } },
    ...{ body: { zen: "…" }, expected: "ignored" },
  },
  {
    ...{ kind: "ghcr", because: "a signature", headers: github },
    ...{ body: tagged({ name: `sha256-${hex}.sig`, digest }), expected: "ignored" },
  },
  ...[
    undefined,
    null,
    "",
    "odd",
    1,
    [],
    {},
    { tag: null },
    { tag: [] },
    { tag: { name: 1 } },
    { manifest: "" },
  ].flatMap((metadata): readonly Case[] => {
    const shown = `container_metadata ${metadata === undefined ? "absent" : JSON.stringify(metadata)}`;
    const version = { container_metadata: metadata, version: digest, name: digest };
    return [
      {
        ...{ kind: "ghcr", because: `${shown}, and a name with a tag`, headers: github },
        body: container({ ...version, package_url: "ghcr.io/octo/app:1.0" }),
        expected: [`ghcr.io/octo/app:1.0@${digest}`],
      },
      {
        ...{ kind: "ghcr", because: `${shown}, and no tag at all`, headers: github },
        ...{
          body: container({ ...version, package_url: "ghcr.io/octo/app:" }),
          expected: [`ghcr.io/octo/app@${digest}`],
        },
      },
      {
        ...{ kind: "ghcr", because: `${shown}, and nothing else`, headers: github },
        ...{ body: container({ container_metadata: metadata }), expected: "ignored" },
      },
    ];
  }),
  {
    ...{ kind: "ghcr", because: "only the name of a tag in container_metadata", headers: github },
    ...{ body: container({ container_metadata: { tag: "1.0" } }), expected: ["ghcr.io/octo/app:1.0"] },
  },
  {
    ...{ kind: "ghcr", because: "an empty tag, and an address with the tag", headers: github },
    body: container({
      container_metadata: { tag: { name: "", digest } },
      package_url: "https://ghcr.io/Octo/App:1.0",
    }),
    expected: [`ghcr.io/octo/app:1.0@${digest}`],
  },
  {
    ...{ kind: "ghcr", because: "the metadata of the REST API", headers: github },
    body: container({ name: digest, metadata: { package_type: "container", container: { tags: ["1.0", "1"] } } }),
    expected: [`ghcr.io/octo/app:1.0,1@${digest}`],
  },
  {
    ...{ kind: "ghcr", because: "no version", headers: github },
    ...{ body: container(null as never), expected: "ignored" },
  },
  {
    ...{ kind: "ghcr", because: "the package in the field of the other event" },
    headers: { ...github, "X-GitHub-Event": "registry_package" },
    ...{ body: tagged({ name: "1.0", digest }), expected: [`ghcr.io/octo/app:1.0@${digest}`] },
  },
  ...["workflow_run", "release", "push", "installation"].map((event): Case => ({
    ...{ kind: "ghcr", because: `the event ${event}`, headers: { "X-GitHub-Event": event } },
    ...{ body: { action: "published" }, expected: "ignored" },
  })),
  {
    ...{ kind: "dockerhub", because: "a digest as the tag", body: hub({ tag: digest }) },
    expected: [`docker.io/team/app@${digest}`],
  },
  {
    kind: "dockerhub",
    because: "a callback_url, which nobody calls",
    body: { ...hub({ tag: "1" }), callback_url: "https://registry.hub.docker.com/u/team/app/hook/1/" },
    expected: ["docker.io/team/app:1"],
  },
  {
    kind: "dockerhub",
    because: "an official image",
    body: hub({ tag: "1" }, { repo_name: "nginx" }),
    expected: ["docker.io/library/nginx:1"],
  },
  {
    ...{ kind: "dockerhub", because: "no repo_name" },
    ...{ body: hub({ tag: "1" }, { namespace: "team", name: "app" }), expected: ["docker.io/team/app:1"] },
  },
  { kind: "dockerhub", because: "an empty tag", body: hub({ tag: "" }), expected: "invalid" },
  {
    kind: "dockerhub",
    because: "images that are null",
    body: hub({ tag: "1", images: null }),
    expected: ["docker.io/team/app:1"],
  },
  {
    ...{ kind: "quay", because: "a build", expected: "ignored" },
    body: { repository: "team/app", docker_url: "quay.io/team/app", docker_tags: ["latest"], build_id: "1" },
  },
  ...[
    { vulnerability: { id: "CVE-2026-1", priority: "High" }, tags: ["latest"] },
    { error_message: "the mirror failed" },
    { docker_tags: ["latest"], trigger_kind: "github" },
  ].map((event): Case => ({
    ...{ kind: "quay", because: `another event: ${Object.keys(event).join()}`, expected: "ignored" },
    body: { repository: "team/app", docker_url: "quay.io/team/app", ...event },
  })),
  {
    ...{ kind: "quay", because: "an address with a scheme", expected: ["quay.example.com/team/app:1"] },
    body: { repository: "team/app", docker_url: "https://quay.example.com/team/app", updated_tags: ["1"] },
  },
  {
    ...{ kind: "quay", because: "the same tag twice", expected: ["quay.io/team/app:1"] },
    body: { repository: "team/app", docker_url: "quay.io/team/app", updated_tags: ["1", "1"] },
  },
  {
    ...{ kind: "harbor", because: "a digest where the tag belongs", expected: [`harbor.example.com/a/b@${digest}`] },
    body: harbor({ resource_url: `harbor.example.com/a/b@${digest}`, tag: digest, digest }),
  },
  {
    ...{ kind: "harbor", because: "version 1 without an address", expected: [`${registry}/a/b:1@${digest}`] },
    body: {
      type: "pushImage",
      event_data: { resources: [{ tag: "1", digest }], repository: { repo_full_name: "a/b" } },
    },
  },
  ...[
    "SCANNING_COMPLETED",
    "SCANNING_FAILED",
    "DELETE_ARTIFACT",
    "PULL_ARTIFACT",
    "QUOTA_EXCEED",
    "QUOTA_WARNING",
    "TAG_RETENTION",
    "REPLICATION",
  ].map((type): Case => ({
    ...{ kind: "harbor", because: `the event ${type}`, expected: "ignored" },
    body: { ...harbor({ resource_url: "harbor.example.com/a/b:1", tag: "1", digest }), type },
  })),
  {
    ...{ kind: "harbor", because: "an address with a scheme", expected: [`harbor.example.com/a/b:1@${digest}`] },
    body: harbor({ resource_url: "https://harbor.example.com/a/b:1", tag: "1", digest }),
  },
  {
    ...{ kind: "harbor", because: "a host with a port", expected: ["harbor.example.com:8443/a/b:1"] },
    body: harbor({ resource_url: "Harbor.Example.com:8443/a/b:1", tag: "1" }),
  },
  {
    kind: "gcr-gar",
    because: "a digest alone",
    body: gar({ action: "INSERT", digest: `gcr.io/p/app@${digest}` }),
    expected: [`gcr.io/p/app@${digest}`],
  },
  ...[
    { name: "projects/p/occurrences/1", kind: "VULNERABILITY", notificationTime: "2026-05-01T10:00:00Z" },
    { id: "build-1", projectId: "p", status: "SUCCESS", images: ["gcr.io/p/app:1"] },
    { action: "DELETE", tag: "gcr.io/p/app:1" },
  ].map((message): Case => ({
    ...{ kind: "gcr-gar", because: `a message of another kind: ${Object.keys(message).join()}` },
    ...{ body: gar(message), expected: "ignored" },
  })),
  { kind: "gcr-gar", because: "a message without an action", body: gar({}), expected: "invalid" },
  {
    kind: "gcr-gar",
    because: "an address with a scheme",
    body: gar({ action: "INSERT", tag: "https://gcr.io/p/app:1" }),
    expected: ["gcr.io/p/app:1"],
  },
  {
    kind: "gcr-gar",
    because: "a signature",
    body: gar({ action: "INSERT", tag: `gcr.io/p/app:sha256-${hex}.sig` }),
    expected: "ignored",
  },
  {
    ...{ kind: "gcr-gar", because: "two repositories", expected: "invalid" },
    body: gar({ action: "INSERT", tag: "gcr.io/p/app:1", digest: `gcr.io/p/other@${digest}` }),
  },
  { kind: "gcr-gar", because: "neither a tag nor a digest", body: gar({ action: "INSERT" }), expected: "invalid" },
  { kind: "gcr-gar", because: "data that are no JSON", body: { message: { data: "e30x" } }, expected: "invalid" },
  {
    kind: "jfrog",
    because: "a host with a port",
    body: jfrog({ sha256: hex }),
    expected: [`jfrog.example.com:8443/docker-local/team/app:1.0@${digest}`],
  },
  {
    kind: "jfrog",
    because: "a digest with its algorithm",
    body: jfrog({ sha256: digest }),
    expected: [`jfrog.example.com:8443/docker-local/team/app:1.0@${digest}`],
  },
  {
    kind: "jfrog",
    because: "a tag only in the path",
    body: jfrog({ tag: null }),
    expected: ["jfrog.example.com:8443/docker-local/team/app:1.0"],
  },
  ...[
    ["jfrog.example.com:8443", "jfrog.example.com:8443"],
    ["jfrog.example.com/", "jfrog.example.com"],
    ["jfrog", registry],
    [null, registry],
  ].map(([origin, host]): Case => ({
    ...{ kind: "jfrog", because: `the origin ${String(origin)}` },
    ...{ body: { ...jfrog({}), jpd_origin: origin }, expected: [`${String(host)}/docker-local/team/app:1.0`] },
  })),
  ...["deleted", "promoted"].map((type): Case => ({
    ...{ kind: "jfrog", because: `the event ${type}` },
    ...{ body: { ...jfrog({}), event_type: type }, expected: "ignored" },
  })),
  {
    kind: "jfrog",
    because: "what a cache fetched",
    body: jfrog({ repo_key: "hub-remote-cache" }),
    expected: "ignored",
  },
  {
    ...{ kind: "jfrog", because: "the image of an index" },
    body: jfrog({ path: `team/app/sha256__${hex}/manifest.json`, tag: `sha256__${hex}`, sha256: hex }),
    expected: [`jfrog.example.com:8443/docker-local/team/app@${digest}`],
  },
  {
    kind: "nexus",
    because: "a tag that is pushed again",
    headers: nexus,
    body: component("latest"),
    expected: [`${registry}/app:latest`],
  },
  ...["rm:repository:asset", "repository", "audit"].map((event): Case => ({
    ...{ kind: "nexus", because: `the event ${event}`, headers: { "X-Nexus-Webhook-Id": event } },
    ...{ body: component("1"), expected: "ignored" },
  })),
  {
    kind: "nexus",
    because: "a push by digest",
    headers: nexus,
    body: component(digest),
    expected: [`${registry}/app@${digest}`],
  },
  { kind: "nexus", because: "no event", body: component("1"), expected: "invalid" },
  {
    kind: "gitea",
    because: "a push by digest",
    headers: gitea,
    body: packageOf(digest),
    expected: [`git.example.com/org/app@${digest}`],
  },
  {
    kind: "gitea",
    because: "a package of npm",
    headers: gitea,
    body: packageOf("1", { type: "npm" }),
    expected: "ignored",
  },
  {
    kind: "gitea",
    because: "the deletion of a version",
    headers: { "X-Forgejo-Event": "package" },
    body: { ...packageOf("1"), action: "deleted" },
    expected: "ignored",
  },
  {
    kind: "gitea",
    because: "no address",
    headers: gitea,
    body: packageOf("1", { html_url: "" }),
    expected: [`${registry}/org/app:1`],
  },
  ...["ping", "delete", "quarantine", "chart_push", "chart_delete"].map((action): Case => ({
    ...{ kind: "acr", because: `the event ${action}`, expected: "ignored" },
    body: { action, target: { repository: "app", tag: "1" }, request: { host: "r.azurecr.io" } },
  })),
  {
    ...{ kind: "acr", because: "a digest as the tag, and a host with a scheme" },
    body: {
      action: "push",
      target: { repository: "app", tag: digest, digest },
      request: { host: "https://r.azurecr.io/" },
    },
    expected: [`r.azurecr.io/app@${digest}`],
  },
  {
    ...{
      kind: "zot",
      because: "a manifest that did not pass",
      headers: { "Ce-Type": "zotregistry.image.lint_failed" },
    },
    ...{ body: { name: "app", reference: "1", digest: ofManifest, manifest }, expected: "ignored" },
  },
  {
    ...{ kind: "zot", because: "the manifest of its digest", headers: zot },
    ...{
      body: { name: "app", reference: "1", digest: ofManifest, manifest },
      expected: [`${registry}/app:1@${ofManifest}`],
    },
  },
  { kind: "zot", because: "no type", body: { name: "app", reference: "1", digest }, expected: "invalid" },
  {
    ...{ kind: "cdevents", because: "the folder of its repository, and a tag" },
    body: image(`pkg:oci/app@sha256%3A${hex}?repository_url=ghcr.io%2Fteam&tag=1.0`),
    expected: [`ghcr.io/team/app:1.0@${digest}`],
  },
  { kind: "cdevents", because: "a percent sign alone", body: image("pkg:oci/app@%"), expected: "invalid" },
  {
    ...{ kind: "cloudevents", because: "what only the subject says" },
    body: {
      specversion: "1.0",
      type: "io.example.image.pushed",
      source: "https://r.example.com/x",
      subject: "app:1.0",
      data: {},
    },
    expected: ["r.example.com/app:1.0"],
  },
  {
    ...{ kind: "cloudevents", because: "a digest as the tag" },
    body: {
      ...{ specversion: "1.0", type: "io.example.image.pushed" },
      data: { repositoryName: "app", imageTag: digest, registryUrl: "r.example.com:443/" },
    },
    expected: [`r.example.com/app@${digest}`],
  },
  {
    ...{ kind: "cloudevents", because: "a region of China" },
    body: {
      ...{
        specversion: "1.0",
        type: "com.amazon.ecr.image.push",
        source: "urn:aws:ecr:cn-north-1:123456789012:repository/app",
      },
      data: { repositoryName: "app", imageTag: "1" },
    },
    expected: ["123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/app:1"],
  },
  {
    ...{ kind: "msr", because: "a tag" },
    body: { type: "TAG_PUSH", contents: { imageName: "dtr.example.com/a/b:1", tag: "1", digest } },
    expected: [`dtr.example.com/a/b:1@${digest}`],
  },
  {
    ...{ kind: "msr", because: "an address with a scheme", expected: [`dtr.example.com/a/b:1@${digest}`] },
    body: { type: "TAG_PUSH", contents: { imageName: "https://dtr.example.com/a/b:1", tag: "1", digest } },
  },
  ...["TAG_DELETE", "SCAN_COMPLETED", "PROMOTION", "PUSH_MIRRORING", "REPO_CREATED"].map((type): Case => ({
    kind: "msr",
    because: `the event ${type}`,
    body: { type, contents: {} },
    expected: "ignored",
  })),
  {
    kind: "aliyun-acr",
    because: "a region that is an address",
    body: hub({ tag: "1" }, { repo_full_name: "a/b", region: "x.example/" }),
    expected: "invalid",
  },
  ...["ECR Pull Through Cache Action", "ECR Replication Action", "ECR Referrer Action"].map((type): Case => ({
    ...{ kind: "ecr", because: `the event ${type}`, expected: "ignored" },
    body: { "detail-type": type, account: "1", region: "eu-west-1", detail: { "repository-name": "a" } },
  })),
  {
    kind: "ecr",
    because: "another account's scan",
    body: { "detail-type": "ECR Image Scan", account: "1", region: "eu-west-1", detail: {} },
    expected: "ignored",
  },
];

/** Without the receiver's own registry, for kinds that need none. */
function settingsFor({ kind }: Case): { readonly registry?: string } {
  return kind === "aliyun-acr" ? {} : { registry };
}

describe("a notification", () => {
  it.each(cases)("of $kind: $because", async (one) => {
    const { kind, body, headers, expected } = one;
    const reading = (await loadReader(kind)).read(requestOf(body, headers), settingsFor(one));
    const pushes =
      reading.kind === "pushes"
        ? reading.pushes.map(({ registry: host, repository, tags, digest: of }) => {
            const tag = tags.length === 0 ? "" : `:${tags.join(",")}`;
            return `${host}/${repository}${tag}${of === undefined ? "" : `@${of}`}`;
          })
        : summaryOf(reading.kind === "invalid" ? { ...reading, retriedForEver: false } : reading).outcome;

    expect(pushes).toEqual(expected);
  });
});
