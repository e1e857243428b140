import { describe, expect, it } from "vitest";
import { type RegistryEntry, servingEntry, whyNotAllowed, whyOtherRegistry } from "#domain/workload/registry-rules";

const registries: readonly RegistryEntry[] = [
  { name: "harbor", host: "harbor.example.com", namespaces: ["platform"] },
  { name: "shop", host: "harbor.example.com", repositories: ["shop", "base/alpine"], namespaces: ["shop", "prod/pay"] },
  {
    name: "billing",
    host: "123456789012.dkr.ecr.eu-west-1.amazonaws.com",
    repositories: ["billing"],
    namespaces: ["billing"],
  },
  { name: "hub", host: "docker.io", repositories: ["acme"], namespaces: ["stage/*"] },
];

const at = (image: string) => {
  const slash = image.indexOf("/");
  return { registry: image.slice(0, slash), repository: image.slice(slash + 1) };
};

describe("the entry that serves a repository", () => {
  it.each([
    { image: "harbor.example.com/shop/api", entry: "shop", because: "its prefix is the longest" },
    { image: "harbor.example.com/shop", entry: "shop", because: "a prefix serves itself" },
    { image: "HARBOR.example.com/base/alpine/edge", entry: "shop", because: "hosts are in any case" },
    { image: "harbor.example.com/shopping/api", entry: "harbor", because: "prefixes are whole components" },
    {
      image: "harbor.example.com/base/alpine2",
      entry: "harbor",
      because: "prefixes are whole components to their end",
    },
    { image: "registry-1.docker.io/acme/api", entry: "hub", because: "Docker Hub has several names" },
    { image: "harbor.example.com:443/shop/api", entry: "shop", because: "443 is the usual port" },
    { image: "docker.io/library/nginx", entry: undefined, because: "the entry is for others" },
    { image: "harbor.example.com:8443/shop/api", entry: undefined, because: "another port is another registry" },
    { image: "harbor.example.com.evil.example/shop/api", entry: undefined, because: "a longer name is another host" },
  ])("of $image is $entry: $because", ({ image, entry }) => {
    expect(servingEntry(registries, at(image))?.name).toBe(entry);
  });
});

describe("a workload", () => {
  const asked = (image: string, place: string, registryPolicy: "any" | "listed" = "any") => {
    const [cluster = "", namespace = ""] = place.split("/");
    return whyNotAllowed({ registryPolicy, registries }, at(image), {
      cluster,
      namespace,
      kind: "Deployment",
      name: "api",
    });
  };

  it.each([
    { image: "harbor.example.com/shop/api", place: "prod/shop" },
    { image: "harbor.example.com/shop/api", place: "prod/pay" },
    { image: "docker.io/acme/api", place: "stage/anything" },
    { image: "docker.io/library/nginx", place: "prod/shop" },
    { image: "ghcr.io/owner/app", place: "prod/shop" },
  ])("in $place may use $image", ({ image, place }) => {
    expect(asked(image, place)).toBeUndefined();
  });

  it.each([
    {
      image: "harbor.example.com/shop/api",
      place: "stage/pay",
      why: "namespaces of the entry shop does not include stage/pay",
    },
    {
      image: "harbor.example.com/other-team/secret",
      place: "prod/shop",
      why: "namespaces of the entry harbor does not include prod/shop",
    },
    ...[
      "123456789012.dkr.ecr.eu-west-1.amazonaws.com",
      "123456789012.dkr.ecr-fips.eu-west-1.amazonaws.com",
      "123456789012.dkr-ecr.eu-west-1.on.aws",
      "123456789012.dkr-ecr-fips.eu-west-1.on.aws",
      "123456789012.dkr.ecr.eu-west-1.amazonaws.com:443",
    ].map((host) => ({
      image: `${host}/billing/secret`,
      place: "prod/shop",
      why: "namespaces of the entry billing does not include prod/shop",
    })),
    {
      image: "docker.io/acme/api",
      place: "prod/stage",
      why: "namespaces of the entry hub does not include prod/stage",
    },
  ])("in $place may not use $image", ({ image, place, why }) => {
    expect(asked(image, place)).toBe(why);
  });

  it.each([
    { image: "ghcr.io/owner/app", why: "registryPolicy is listed, and registries has no entry for ghcr.io" },
    {
      image: "docker.io/library/nginx",
      why: "registryPolicy is listed, and repositories of the entry hub does not include library/nginx",
    },
  ])("may not use $image if only listed registries are allowed", ({ image, why }) => {
    expect(asked(image, "prod/shop", "listed")).toBe(why);
  });
});

describe("an entry that lookout.dev/registry names", () => {
  const lab = [
    { name: "secret-lab", host: "lab.corp.internal:5000", namespaces: ["lab"] },
    { name: "open", host: "r.test" },
  ];
  const asked = (named: string, namespace: string) =>
    whyOtherRegistry({ registryPolicy: "listed", registries: lab }, named, at("r.test/shop/api"), {
      ...{ cluster: "prod", namespace, kind: "Deployment", name: "api" },
    });

  it.each(["secret-lab", "secret-lac"])("is not disclosed to a namespace that may not use it: %s", (named) => {
    expect(asked(named, "shop")).toBe(`registries has no entry ${named} for prod/shop`);
  });

  it.each([
    { named: "secret-lab", why: "the entry secret-lab is lab.corp.internal:5000, but the image is from r.test" },
    { named: "secret-lac", why: "registries has no entry secret-lac for prod/lab; did you mean secret-lab?" },
  ])("is named to a namespace that may use it: $named", ({ named, why }) => {
    expect(asked(named, "lab")).toBe(why);
  });
});
