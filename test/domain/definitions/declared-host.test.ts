import { describe, expect, it } from "vitest";
import { declaredHost } from "#domain/definitions/declared-host";

const ecr = (accountId: unknown, region: unknown) => ({ type: "ecr", ecr: { accountId, region } });

describe("the host of an ImageRegistry", () => {
  it.each([
    [ecr("123456789012", "eu-central-1"), "123456789012.dkr.ecr.eu-central-1.amazonaws.com"],
    [ecr("123456789012", "cn-north-1"), "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn"],
    [{ type: "acr", acr: { registryName: "Acme" } }, "acme.azurecr.io"],
    [{ type: "dockerhub" }, "docker.io"],
    [{ type: "quay" }, "quay.io"],
    [{ type: "harbor", harbor: { url: "https://Harbor.example.com:443/x" } }, "harbor.example.com"],
    [{ type: "generic", generic: { url: "http://[::1]:5000" } }, "[::1]:5000"],
  ])("of %j is %s", (spec, host) => {
    expect(declaredHost(spec)).toBe(host);
  });

  it.each([
    [undefined],
    [null],
    ["quay"],
    [{}],
    [{ type: "toString" }],
    [{ type: ["quay"] }],
    [{ type: "gcr", gcr: { project: "a" } }],
    [{ type: "acr" }],
    [{ type: "harbor", harbor: { url: "https://" } }],
    [{ type: "generic", generic: { url: 7 } }],
    [ecr(123456789012, "eu-central-1")],
    [ecr("1234", "eu-central-1")],
    [ecr("123456789012", "eu.evil.example/")],
    [ecr("123456789012", undefined)],
  ])("of %j is open", (spec) => {
    expect(declaredHost(spec)).toBeUndefined();
  });
});
