import { RegionInfo } from "aws-cdk-lib/region-info";
import { afterEach, describe, expect, it } from "vitest";
import { parseEcrHost } from "#domain/registry/ecr-host";
import { ecrRegistry } from "#adapters/ecr/registry";
import { type AwsEndpoint, awsEndpoint, type AwsReply, type AwsRequest } from "#test/adapters/aws-endpoint";
import { registryContract } from "#test/contracts/registry.contract";
import { memoryEcr } from "./ecr.ts";

const host = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
const credentials = () => async () => ({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: "canary" });

describe("ECR by its API", () => {
  registryContract(async () => {
    const ecr = memoryEcr();
    const stopLayers = await ecr.serveLayers();
    const endpoint = await awsEndpoint((request) => {
      if (request.region === "us-east-2") return "cut";
      return request.input["registryId"] === "999999999999" ? { error: "AccessDeniedException" } : ecr.answer(request);
    });
    return {
      registry: ecrRegistry({ credentials }),
      host,
      push: async (repository, tag, content, platforms) => ecr.push(repository, tag, content, platforms),
      moveTag: async (repository, tag, digest) => ecr.moveTag(repository, tag, digest),
      deleteTag: async (repository, tag) => ecr.deleteTag(repository, tag),
      unreachable: { registry: "123456789012.dkr.ecr.us-east-2.amazonaws.com", repository: "shop/api" },
      denied: { registry: "999999999999.dkr.ecr.eu-central-1.amazonaws.com", repository: "shop/api" },
      close: async () => {
        stopLayers();
        await endpoint.close();
      },
    };
  });
});

describe("a registry of ECR", () => {
  const { signal } = new AbortController();
  const name = { registry: host, repository: "shop/api" };
  let endpoint: AwsEndpoint;
  afterEach(() => endpoint.close());
  const start = async (answer: (request: AwsRequest) => AwsReply) => {
    endpoint = await awsEndpoint(answer);
    return ecrRegistry({ credentials });
  };

  it("is asked in its region and account, for tagged images and manifests of supported types", async () => {
    const ecr = memoryEcr();
    ecr.push("shop/api", "1.0.0", "a");
    const registry = await start(ecr.answer);

    await registry.tags({ ...name, registry: "210987654321.dkr.ecr.us-west-2.amazonaws.com" }, signal);
    await registry.resolve(name, "1.0.0", signal);

    const about = { repositoryName: "shop/api" };
    expect(endpoint.asked).toEqual([
      {
        operation: "ListImages",
        region: "us-west-2",
        accessKeyId: "AKIDEXAMPLE",
        input: { ...about, registryId: "210987654321", filter: { tagStatus: "TAGGED" }, maxResults: 1000 },
      },
      {
        operation: "BatchGetImage",
        region: "eu-central-1",
        accessKeyId: "AKIDEXAMPLE",
        input: {
          ...about,
          registryId: "123456789012",
          imageIds: [{ imageTag: "1.0.0" }],
          acceptedMediaTypes: [
            "application/vnd.oci.image.index.v1+json",
            "application/vnd.docker.distribution.manifest.list.v2+json",
            "application/vnd.oci.image.manifest.v1+json",
            "application/vnd.docker.distribution.manifest.v2+json",
          ],
        },
      },
    ]);
  });

  it("names the artifact that a manifest holds", async () => {
    const ecr = memoryEcr();
    const helm = "application/vnd.cncf.helm.config.v1+json";
    const digest = ecr.pushArtifact("shop/api", "1.0.0", helm);
    const registry = await start(ecr.answer);

    expect(await registry.manifest(name, digest, signal)).toMatchObject({ kind: "manifest", digest, artifact: helm });
    expect(await registry.resolve(name, "1.0.0", signal)).toEqual({ kind: "manifest", digest, platforms: [] });
  });

  it("never lists only some tags: a missing page is an error", async () => {
    const ecr = memoryEcr();
    for (const tag of ["1", "2", "3", "4", "5"]) ecr.push("shop/api", tag, tag);
    let pages = 0;
    const registry = await start((request) => (++pages < 3 ? ecr.answer(request) : { error: "ServerException" }));

    expect(await registry.tags(name, signal)).toEqual({
      kind: "unreachable",
      detail: `${host}: ECR does not answer (ServerException)`,
      isOutage: true,
    });
  });

  it("ends a listing that repeats a page", async () => {
    const registry = await start(() => ({ json: { imageIds: [{ imageTag: "1" }], nextToken: "again" } }));

    expect(await registry.tags(name, signal)).toEqual({
      kind: "unreachable",
      detail: `${host} returned the same page of tags twice`,
    });
  });

  it("is refused when content does not have its digest, or is no image", async () => {
    const digest = `sha256:${"ab".repeat(32)}`;
    const registry = await start(() => ({ json: { images: [{ imageId: {}, imageManifest: "{}" }] } }));

    expect(await registry.manifest(name, digest, signal)).toEqual({
      kind: "unreachable",
      detail: `${host} sent content that does not hash to ${digest}`,
    });
    expect(await registry.resolve(name, "1.0.0", signal)).toEqual({
      kind: "unreachable",
      detail: `${host} sent content that does not hash to a digest`,
    });
  });

  it.each([
    {
      error: "AccessDeniedException",
      refusal: {
        kind: "denied",
        detail: `${host}: ECR denied access to shop/api: allow ecr:ListImages, ecr:BatchGetImage and, to read the platform of a single image, ecr:GetDownloadUrlForLayer. A repository of another account must allow them in its repository policy too (AccessDeniedException)`,
      },
    },
    {
      error: "ExpiredTokenException",
      refusal: {
        kind: "denied",
        detail: `${host}: AWS does not accept the credentials (ExpiredTokenException); log in to AWS again: aws sts get-caller-identity must answer`,
      },
    },
    {
      error: "ThrottlingException",
      refusal: {
        kind: "unreachable",
        reason: "registry-throttled",
        detail: `${host}: ECR allows no more requests (ThrottlingException)`,
        retryAfterMs: 20_000,
      },
    },
    {
      error: "SomethingNewException",
      refusal: { kind: "unreachable", detail: `${host}: ECR does not answer (SomethingNewException)`, isOutage: true },
    },
  ])("reports $error with a remedy", async ({ error, refusal }) => {
    const registry = await start(() => ({ error }));

    expect(await registry.resolve(name, "1.0.0", signal)).toEqual(refusal);
  });

  it("reports why an image is missing", async () => {
    const failures = [{ imageId: {}, failureCode: "UpstreamUnavailable" }];
    const registry = await start(() => ({ json: { images: [], failures } }));

    expect(await registry.resolve(name, "1.0.0", signal)).toEqual({
      kind: "unreachable",
      detail: `${host} returned no image (UpstreamUnavailable)`,
    });
  });

  it("rejects an invalid tag, digest or repository before the request", async () => {
    const registry = await start(() => ({ json: {} }));

    await expect(registry.resolve(name, "a b", signal)).rejects.toThrow('"a b" is not a tag');
    await expect(registry.manifest(name, "sha256:1", signal)).rejects.toThrow('"sha256:1" is not a digest');
    await expect(registry.tags({ ...name, registry: "ghcr.io" }, signal)).rejects.toThrow("is not a registry of ECR");
    expect(endpoint.asked).toEqual([]);
  });
});

describe("the host of a registry of ECR", () => {
  const account = "123456789012";

  it.each([
    ["dkr.ecr.eu-central-1.amazonaws.com", { region: "eu-central-1", fips: false, dualStack: false }],
    ["dkr.ecr-fips.us-gov-west-1.amazonaws.com", { region: "us-gov-west-1", fips: true, dualStack: false }],
    ["dkr.ecr.cn-north-1.amazonaws.com.cn", { region: "cn-north-1", fips: false, dualStack: false }],
    ["dkr.ecr.us-iso-east-1.c2s.ic.gov", { region: "us-iso-east-1", fips: false, dualStack: false }],
    ["dkr-ecr.eu-central-1.on.aws", { region: "eu-central-1", fips: false, dualStack: true }],
    ["dkr-ecr-fips.us-east-1.on.aws", { region: "us-east-1", fips: true, dualStack: true }],
    ["dkr-ecr.cn-north-1.on.amazonwebservices.com.cn", { region: "cn-north-1", fips: false, dualStack: true }],
    ["dkr-ecr.eusc-de-east-1.on.amazonwebservices.eu", { region: "eusc-de-east-1", fips: false, dualStack: true }],
    ["dkr-ecr.us-iso-east-1.on.aws.ic.gov", { region: "us-iso-east-1", fips: false, dualStack: true }],
    ["dkr-ecr.us-isob-east-1.on.aws.scloud", { region: "us-isob-east-1", fips: false, dualStack: true }],
    ["dkr-ecr.us-isof-south-1.on.aws.hci.ic.gov", { region: "us-isof-south-1", fips: false, dualStack: true }],
    ["dkr-ecr.eu-isoe-west-1.on.cloud-aws.adc-e.uk", { region: "eu-isoe-west-1", fips: false, dualStack: true }],
  ])("has account, region and endpoint: %s", (rest, expected) => {
    expect(parseEcrHost(`${account}.${rest}`)).toEqual({ account, ...expected });
  });

  it("is known in every region and partition of the CDK", () => {
    const regions = RegionInfo.regions.map(({ name, domainSuffix = "" }) => ({ region: name, domain: domainSuffix }));

    expect(regions.length).toBeGreaterThan(40);
    expect(regions.map(({ region, domain }) => parseEcrHost(`${account}.dkr.ecr.${region}.${domain}`))).toEqual(
      regions.map(({ region }) => ({ account, region, fips: false, dualStack: false })),
    );
  });

  it.each([
    "public.ecr.aws",
    "ghcr.io",
    "12345678901.dkr.ecr.eu-central-1.amazonaws.com",
    "123456789012.dkr.ecr.eu-central-1.amazonaws.com.evil.example",
    "123456789012.dkr.ecr.eu-central-1.on.aws",
    "123456789012.dkr-ecr.eu-central-1.amazonaws.com",
    "evil.123456789012.dkr.ecr.eu-central-1.amazonaws.com",
    "123456789012.dkr.ecr.eu-central-1.amazonaws.com:5000",
  ])("rejects %s", (registry) => {
    expect(parseEcrHost(registry)).toBeUndefined();
  });
});
