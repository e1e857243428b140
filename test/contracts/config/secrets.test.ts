import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Configuration, parseConfiguration } from "#contracts/config/configuration";
import { markAt, markedFields } from "#contracts/config/marks";
import { ConfigurationSchema } from "#contracts/config/schema";
import { secretFields } from "#contracts/config/secret-fields";
import {
  placeInAws,
  receiverSecret,
  registryCa,
  registryPassword,
  type SecretField,
  secretOf,
} from "#contracts/config/secret-places";
import { secretAt, secretsIn, withPaths } from "#contracts/config/secrets";

function configured(input: unknown): Configuration {
  const parsed = parseConfiguration(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem));
  return parsed.value;
}

const configuration = configured({
  clusters: [{ name: "prod", kubeconfig: "kube/prod" }, { name: "stage" }],
  receivers: [
    { name: "hub", kind: "generic", secretEnv: "HUB" },
    { name: "build", kind: "generic", secretFile: "secrets/build" },
    { name: "team", kind: "generic", secretParameter: "/team/hook" },
    { name: "other", kind: "generic", secretId: "team/hook" },
    { name: "tokens", kind: "gcr-gar", tokens: { audience: "lookout", subject: "robot" } },
  ],
  registries: [
    { host: "registry.example.com:5000", username: "robot", passwordFile: "secrets/registry", caFile: "ca.pem" },
    { name: "shop", host: "ghcr.io", username: "robot", passwordId: "team/ghcr" },
    { host: "quay.io", caParameter: "/team/ca" },
    { host: "docker.io" },
  ],
});

describe("the secrets of lookout.yaml", () => {
  it("are found with their owners and places", () => {
    expect(secretsIn(configuration)).toEqual([
      { field: receiverSecret, owner: "hub", ref: { variable: "HUB" } },
      { field: receiverSecret, owner: "build", ref: { file: "secrets/build" } },
      { field: receiverSecret, owner: "team", ref: { parameter: "/team/hook" } },
      { field: receiverSecret, owner: "other", ref: { secret: "team/hook" } },
      { field: registryPassword, owner: "registry.example.com:5000", ref: { file: "secrets/registry" } },
      { field: registryPassword, owner: "shop", ref: { secret: "team/ghcr" } },
      { field: registryCa, owner: "registry.example.com:5000", ref: { file: "ca.pem" } },
      { field: registryCa, owner: "quay.io", ref: { parameter: "/team/ca" } },
    ]);
  });

  it("are parameters of the stack in AWS, unless lookout.yaml names a place there", () => {
    expect(secretsIn(configuration).map((secret) => placeInAws(secret, "Lookout"))).toEqual([
      { parameter: "/Lookout/receivers/hub" },
      { parameter: "/Lookout/receivers/build" },
      { parameter: "/team/hook" },
      { secret: "team/hook" },
      { parameter: "/Lookout/registries/registry.example.com_5000" },
      { secret: "team/ghcr" },
      { parameter: "/Lookout/registries/registry.example.com_5000.ca" },
      { parameter: "/team/ca" },
    ]);
  });

  it("of one entry are the same as in the whole file", () => {
    const { receivers, registries } = configuration;
    const each = [
      ...receivers.map((receiver) => secretOf(receiverSecret, receiver)),
      ...registries.map((registry) => secretOf(registryPassword, registry)),
      ...registries.map((registry) => secretOf(registryCa, registry)),
    ];

    expect(each.filter(({ ref }) => ref !== undefined)).toEqual(secretsIn(configuration));
  });

  it.each([
    { steps: ["receivers", 0, "secretEnv"], expected: { name: "secret", kind: "variable" } },
    { steps: ["registries", 3, "passwordFile"], expected: { name: "password", kind: "file" } },
    { steps: ["registries", 0, "caFile"], expected: undefined },
    { steps: ["registries", 0, "host"], expected: undefined },
    { steps: ["registries", 0, "nowhere", "passwordFile"], expected: undefined },
    { steps: ["receivers"], expected: undefined },
    { steps: [], expected: undefined },
  ])("are known by their key: $steps", ({ steps, expected }) => {
    expect(secretAt(steps)).toEqual(expected);
  });
});

describe("the paths of lookout.yaml", () => {
  it("are all resolved, and nothing else changes", () => {
    const { clusters, receivers, registries } = configuration;

    expect(withPaths(configuration, (path) => `/etc/${path}`)).toEqual({
      ...configuration,
      clusters: [{ ...clusters[0], kubeconfig: "/etc/kube/prod" }, clusters[1]],
      receivers: receivers.map((receiver) =>
        receiver.name === "build" ? { ...receiver, secretFile: "/etc/secrets/build" } : receiver,
      ),
      registries: registries.map((registry) =>
        registry.caFile === undefined
          ? registry
          : { ...registry, passwordFile: "/etc/secrets/registry", caFile: "/etc/ca.pem" },
      ),
      dataDir: "/etc/./.lookout",
    });
    expect(configuration.dataDir).toBe("./.lookout");
  });

  it("are exactly the keys whose descriptions promise it", () => {
    const keys = keysOf(z.toJSONSchema(ConfigurationSchema, { io: "input" }), []);
    const promised = keys.filter(({ description }) => description.includes("relative to lookout.yaml"));
    const resolved = keys.filter(({ steps }) => markAt(ConfigurationSchema, steps)?.isPath);

    expect(resolved).toEqual(promised);
    expect(resolved.length).toBeGreaterThan(4);
  });
});

describe("a new secret in a schema", () => {
  const token = {
    ...{ name: "token", places: ["variable", "file"], reach: "receivers", ending: ".token" },
    content: "the token of channel",
  } as const satisfies SecretField;
  const schema = z.object({
    channels: z
      .array(
        z
          .strictObject({
            name: z.string(),
            slack: z
              .strictObject(secretFields(token, { variable: "The variable.", file: "The file." }))
              .exactOptional(),
          })
          .readonly()
          .transform((channel) => ({ ...channel, isLoud: true })),
      )
      .prefault([]),
  });

  it("is found by its fields alone, with the name of the nearest entry", () => {
    const channels = [
      { name: "shop", slack: { tokenFile: "secrets/slack" } },
      { name: "web", slack: { tokenEnv: "SLACK" } },
      { name: "quiet" },
    ];

    expect(
      markedFields(schema, schema.parse({ channels })).map(({ mark, value, owner }) => ({ mark, value, owner })),
    ).toEqual([
      { mark: { isPath: true, secret: { field: token, kind: "file" } }, value: "secrets/slack", owner: "shop" },
      { mark: { secret: { field: token, kind: "variable" } }, value: "SLACK", owner: "web" },
    ]);
  });
});

interface Key {
  readonly steps: readonly (string | number)[];
  readonly description: string;
}

/** Returns every key of a JSON Schema, with the index 0 for the entries of a list. */
function keysOf(schema: z.core.JSONSchema.BaseSchema, steps: Key["steps"]): readonly Key[] {
  const items = schema.items as z.core.JSONSchema.BaseSchema | undefined;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, z.core.JSONSchema.BaseSchema>>;
  return [
    { steps, description: schema.description ?? "" },
    ...(items === undefined ? [] : keysOf(items, [...steps, 0])),
    ...Object.entries(properties).flatMap(([key, inner]) => keysOf(inner, [...steps, key])),
  ];
}
