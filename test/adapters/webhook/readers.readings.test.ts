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
    { tag: "1.0" },
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
        ...{ body: container({ container_metadata: metadata }), expected: "invalid" },
      },
    ];
  }),
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
    because: "no address",
    headers: gitea,
    body: packageOf("1", { html_url: "" }),
    expected: [`${registry}/org/app:1`],
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
    kind: "aliyun-acr",
    because: "a region that is an address",
    body: hub({ tag: "1" }, { repo_full_name: "a/b", region: "x.example/" }),
    expected: "invalid",
  },
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
