import { describe, expect, it } from "vitest";
import { operations } from "#contracts/api/operations";
import { blocksOf, page } from "./markdown.ts";

interface Policy {
  readonly Statement: readonly { readonly Resource: readonly string[] }[];
}

/** Every request of the API, about a Deployment of the policy's namespace. */
const requests = Object.values(operations).map(({ method, path }) => {
  const place = { cluster: "prod", namespace: "shop", kind: "deployment", name: "api", seq: "1" };
  const filled = Object.entries(place).reduce<string>((text, [name, value]) => text.replace(`{${name}}`, value), path);
  return `${method.toUpperCase()}${filled}`;
});

const shop = "/v1/workloads/prod/shop/deployment/api";

describe("the policy of an approver", () => {
  it("allows to read workloads and to decide about one namespace, and nothing else", () => {
    const text = blocksOf(page("docs/approvals.md")).find(({ language }) => language === "json")?.text ?? "";
    const [{ Resource: resources } = { Resource: [] }] = (JSON.parse(text) as Policy).Statement;
    const paths = resources.map((arn) => arn.slice(arn.indexOf("$default/") + "$default/".length));
    const isAllowed = (request: string) =>
      paths.some((one) =>
        one.endsWith("/*")
          ? request.startsWith(one.slice(0, -1))
          : new RegExp(`^${one.replace("*", ".+")}$`).test(request),
      );

    expect(requests.filter(isAllowed).toSorted()).toEqual([
      "GET/v1/approvals",
      "GET/v1/me",
      "GET/v1/workloads",
      `GET${shop}`,
      `GET${shop}/approval`,
      `GET${shop}/decisions`,
      `GET${shop}/explanation`,
      `GET${shop}/updates/1`,
      `POST${shop}/approval`,
      `POST${shop}/approval-request`,
      `POST${shop}/rejection`,
    ]);
    expect(isAllowed("POST/v1/workloads/prod/other/deployment/api/approval")).toBe(false);
  });
});
