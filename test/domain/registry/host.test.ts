import { describe, expect, it } from "vitest";
import { registryHost } from "#domain/registry/host";

const account = "123456789012";

describe("the one name of a registry", () => {
  it.each([
    { name: "GHCR.io", is: "ghcr.io", because: "hosts have no case" },
    { name: "ghcr.io:443", is: "ghcr.io", because: "443 is the usual port" },
    { name: "ghcr.io:0443", is: "ghcr.io", because: "zeros before a port say nothing" },
    { name: "ghcr.io:5000", is: "ghcr.io:5000", because: "another port is another registry" },
    { name: "registry.hub.docker.com", is: "docker.io", because: "it is Docker Hub's" },
    { name: "registry-1.docker.io:443", is: "docker.io", because: "it is Docker Hub's" },
    { name: "0xc6.51.100.7", is: "198.51.100.7", because: "an address has several spellings" },
    { name: "[2001:DB8:0::1]:443", is: "[2001:db8::1]", because: "an address has several spellings" },
    { name: "a.b:100000", is: "a.b:100000", because: "it can't be dialled" },
    { name: "user@ghcr.io", is: "user@ghcr.io", because: "it is no host" },
    { name: "ghcr.io/path", is: "ghcr.io/path", because: "it is no host" },
    { name: "public.ecr.aws", is: "public.ecr.aws", because: "it is of no account" },
  ])("of $name is $is: $because", ({ name, is }) => {
    expect(registryHost(name)).toBe(is);
  });

  it.each([
    "dkr.ecr.eu-west-1.amazonaws.com",
    "DKR.ecr.EU-west-1.amazonaws.com",
    "dkr.ecr.eu-west-1.amazonaws.com:443",
    "dkr.ecr-fips.eu-west-1.amazonaws.com",
    "dkr.ecr.eu-west-1.amazonaws.com.cn",
    "dkr-ecr.eu-west-1.on.aws",
    "dkr-ecr-fips.eu-west-1.on.aws",
  ])("of a private ECR registry is the same for %s", (rest) => {
    expect(registryHost(`${account}.${rest}`)).toBe(`${account}.dkr.ecr.eu-west-1.amazonaws.com`);
  });

  it.each([
    { host: "dkr-ecr.cn-north-1.on.amazonwebservices.com.cn", is: "dkr.ecr.cn-north-1.amazonaws.com.cn" },
    { host: "dkr-ecr.eusc-de-east-1.on.amazonwebservices.eu", is: "dkr.ecr.eusc-de-east-1.amazonaws.eu" },
    { host: "dkr-ecr.us-iso-east-1.on.aws.ic.gov", is: "dkr.ecr.us-iso-east-1.c2s.ic.gov" },
  ])("has the domain of its region: $host", ({ host, is }) => {
    expect(registryHost(`${account}.${host}`)).toBe(`${account}.${is}`);
  });
});
