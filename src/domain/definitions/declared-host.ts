import { ecrHostOf } from "../registry/ecr-host.ts";
import { registryHost } from "../registry/host.ts";
import { isObject, valueAt } from "../shared/json.ts";

/** Returns the host that the spec of an ImageRegistry names. Undefined if its type leaves the host open, or the spec is wrong. */
export function declaredHost(spec: unknown): string | undefined {
  const type = isObject(spec) ? spec["type"] : undefined;
  const host = typeof type === "string" && Object.hasOwn(hosts, type) ? hosts[type]?.(spec) : undefined;
  return host === undefined ? undefined : registryHost(host);
}

const hosts: Readonly<Record<string, (spec: unknown) => string | undefined>> = {
  ecr: (spec) => {
    const account = textAt(spec, "ecr", "accountId");
    const region = textAt(spec, "ecr", "region");
    if (account === undefined || region === undefined) return undefined;
    if (!/^\d{12}$/.test(account) || !/^[a-z0-9-]+$/.test(region)) return undefined;
    return ecrHostOf({ account, region, fips: false, dualStack: false });
  },
  harbor: (spec) => hostOfUrl(textAt(spec, "harbor", "url")),
  generic: (spec) => hostOfUrl(textAt(spec, "generic", "url")),
  dockerhub: () => "docker.io",
  quay: () => "quay.io",
  acr: (spec) => {
    const registry = textAt(spec, "acr", "registryName");
    return registry === undefined ? undefined : `${registry}.azurecr.io`;
  },
};

function textAt(spec: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(spec, path);
  return typeof value === "string" ? value : undefined;
}

function hostOfUrl(url: string | undefined): string | undefined {
  return url === undefined ? undefined : URL.parse(url)?.host;
}
