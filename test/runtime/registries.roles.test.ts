import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Registry } from "#ports/registry";
import { environment as names } from "#contracts/aws/environment";
import { parseConfiguration } from "#contracts/config/configuration";
import { scheduleShell } from "#runtime/lambda/schedule";
import { registries } from "#runtime/lambda/wiring/registries";
import { openRegistries } from "#runtime/registries";
import { type AwsReply, type AwsRequest, home } from "#test/adapters/aws-endpoint";
import { contextOf, type LambdaStage, lambdaStage } from "#test/runtime/lambda/stage";

const hostOf = (account: string): string => `${account}.dkr.ecr.eu-west-1.amazonaws.com`;
const [east, west] = [hostOf("210987654321"), hostOf("310987654321")];
const written = {
  registries: [
    { host: east, roleArn: "arn:aws:iam::210987654321:role/east" },
    { host: west, roleArn: "arn:aws:iam::310987654321:role/west" },
  ],
};
const registryRole = "arn:aws:iam::111122223333:role/registries";
const signal = new AbortController().signal;

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage(answer, written);
  stage.environment[names.registryRole] = registryRole;
  stage.environment["AWS_REGION"] = home.region;
});
afterEach(() => stage.close());

function answer({ operation, input }: AwsRequest): AwsReply {
  if (operation === "ListImages") return { json: { imageIds: [{ imageTag: "1.0.0" }] } };
  if (operation !== "AssumeRole") return { json: {} };
  const key = `KEYOF${String(input["RoleArn"]).split("/").at(-1)?.toUpperCase() ?? ""}`;
  const expiration = new Date(Date.now() + 3_600_000).toISOString();
  return {
    xml: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  };
}

/** The assumed roles and the listings, each with the key that signed the request. */
const asked = (): readonly unknown[] =>
  stage.aws.asked
    .filter(({ operation }) => operation === "AssumeRole" || operation === "ListImages")
    .map(({ operation, input, accessKeyId }) => [
      operation,
      input["RoleArn"] ?? input["registryId"],
      input["DurationSeconds"],
      accessKeyId,
    ]);

/** Returns the registries as a deployed function gets them. */
async function ofFunction(): Promise<Registry> {
  const given = Promise.withResolvers<Registry>();
  const run = scheduleShell(
    async ({ ports }) => {
      given.resolve(ports.registry);
    },
    stage.settings("detect/sweep-repository", [registries]),
  );
  await run({}, contextOf());
  return given.promise;
}

const tags = { kind: "tags", tags: ["1.0.0"] };

describe("the roles of registries in other accounts", () => {
  it("are assumed on AWS by the stack's registry role, whose session they share", async () => {
    const registry = await ofFunction();

    for (const host of [east, west, east])
      expect(await registry.tags({ registry: host, repository: "shop/api" }, signal)).toEqual(tags);

    expect(asked()).toEqual([
      ["AssumeRole", registryRole, "3600", home.accessKeyId],
      ["AssumeRole", "arn:aws:iam::210987654321:role/east", "3600", "KEYOFREGISTRIES"],
      ["ListImages", "210987654321", undefined, "KEYOFEAST"],
      ["AssumeRole", "arn:aws:iam::310987654321:role/west", "3600", "KEYOFREGISTRIES"],
      ["ListImages", "310987654321", undefined, "KEYOFWEST"],
      ["ListImages", "210987654321", undefined, "KEYOFEAST"],
    ]);
  });

  it("are assumed by the user's own credentials in a local process", async () => {
    const configuration = parseConfiguration(written);
    if (!configuration.ok) throw new Error("the configuration is wrong");
    const readSecret = () => Promise.reject(new Error("no entry has a secret"));
    const registry = openRegistries({ configuration: configuration.value, readSecret, environment: {} });

    expect(await registry.tags({ registry: east, repository: "shop/api" }, signal)).toEqual(tags);
    expect(asked()).toEqual([
      ["AssumeRole", "arn:aws:iam::210987654321:role/east", "3600", home.accessKeyId],
      ["ListImages", "210987654321", undefined, "KEYOFEAST"],
    ]);
  });

  it("are not needed for the stack's own account, whose registries the function reads itself", async () => {
    const registry = await ofFunction();

    await registry.tags({ registry: hostOf("111122223333"), repository: "shop/api" }, signal);

    expect(asked()).toEqual([["ListImages", "111122223333", undefined, home.accessKeyId]]);
  });
});
