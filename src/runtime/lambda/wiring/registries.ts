import { ociRegistry } from "#adapters/oci/registry";
import type { WiringPart } from "./part.ts";

/** Asks the registries. */
export const registries: WiringPart<"registry"> = ({ configuration }) => {
  const hosts = configuration.registries.map(
    ({ host, plainHttp, endpoint, tokenHosts }) => [host, { plainHttp, endpoint, tokenHosts }] as const,
  );
  const registry = ociRegistry({
    credentials: () => Promise.resolve(undefined),
    hosts: Object.fromEntries(hosts),
  });
  return () => ({ registry });
};
