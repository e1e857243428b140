import type { ConfiguredSecret, SecretPlace } from "#contracts/config/secret-places";
import type { AccountFacts } from "#runtime/account-facts";
import { type DeployCheck, refusedCheck } from "./deploy-check.ts";
import { placeWords } from "./secret-place.ts";

/** A secret of lookout.yaml, with its place in AWS. */
export interface PlannedSecret extends Pick<ConfiguredSecret, "field" | "owner"> {
  readonly place: SecretPlace;
}

/** Returns the check of a secret that functions will read. */
export function secretBeforeDeploy(
  { field, owner, place }: PlannedSecret,
  found: AccountFacts["secrets"][number],
  region: string,
): DeployCheck {
  const check = `${field.content.replace(/^the /, "")} ${owner}`;
  const { what, service, store, right } = placeWords(place, region);
  if (found.kind === "missing")
    return { check, verdict: "wrong", detail: `${what} is missing`, remedy: `To store it:  ${store}` };
  if (found.kind !== "there") return refusedCheck({ check, what, service, region, right }, found);
  if (found.key === undefined) return { check, verdict: "well", detail: `${what} exists` };
  return {
    check,
    verdict: "doubtful",
    detail: `${what} is encrypted with the key ${found.key}, and the functions have no kms:Decrypt on it`,
    remedy: `Let the key's policy allow kms:Decrypt to the functions' roles, or store the secret with the key of ${service}.`,
  };
}
