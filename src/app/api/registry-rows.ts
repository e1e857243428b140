import type { RegistryCheckView, registryChecks } from "#contracts/api/registries";
import { formatDuration } from "#domain/shared/duration";
import type { Reason } from "#domain/shared/reasons";
import { durationMs, type EpochMs, seconds, since } from "#domain/shared/time";
import type { RegistryEntry } from "#domain/workload/registry-rules";
import type { RegistryInspection, RegistryRefusal, TagListing } from "#ports/registry";
import { reasonOfRefusal } from "../shared/first-registry-error.ts";
import { reasonView } from "./views.ts";

type Row = RegistryCheckView["rows"][number];
type Check = (typeof registryChecks)[number];

/** The input of the rows: a registry, and the result of its inspection. */
export interface InspectedRegistry {
  readonly host: string;
  /** The path of the inspected repository. */
  readonly repository: string;
  /** The entry of `lookout.yaml` that serves the repository. Absent if no entry serves it. */
  readonly entry?: RegistryEntry | undefined;
  readonly inspection: RegistryInspection;
}

/**
 * The largest difference between the clocks that passes the check. Tokens are valid for minutes,
 * and a Date header has whole seconds.
 */
const mostClockDifference = seconds(60);

/** Returns the rows of an inspection: one row for each check, in the order of the checks. */
export function registryRows(inspected: InspectedRegistry, now: EpochMs): readonly Row[] {
  return [
    addressRow(inspected),
    certificateRow(inspected),
    authenticationRow(inspected),
    tagsRow(inspected),
    limitsRow(inspected),
    clockRow(inspected, now),
  ];
}

function addressRow({ host, entry, inspection: { listing, answer } }: InspectedRegistry): Row {
  const isPrivate = entry?.allowPrivateNetwork === true;
  if (listing.kind === "not-allowed") return failed("address", listing, `${entryOf(host)}: allowPrivateNetwork: true`);
  if (answer !== undefined)
    return ok(
      "address",
      isPrivate ? "the registry answers, and allowPrivateNetwork allows any address" : "the registry answers",
    );
  const isReached =
    !isRefused(listing) || listing.kind === "denied" || reasonOfRefusal(listing) === "registry-not-trusted";
  if (isReached) return ok("address", "the registry is reachable");
  if (isOwnLimit(listing)) return notChecked("address", "Lookout did not ask the registry: see limits");
  return failed("address", listing, `${entryOf(host)}: endpoint or proxy, if the registry has another address`);
}

function certificateRow({ host, entry, inspection: { listing, answer } }: InspectedRegistry): Row {
  if (isRefused(listing) && reasonOfRefusal(listing) === "registry-not-trusted")
    return failed("certificate", listing, `${entryOf(host)}: caFile or caParameter`);
  if (answer === undefined) return notChecked("certificate", "the registry gave no answer");
  if (answer.scheme === "http")
    return ok("certificate", "no certificate: insecure allows HTTP, which others can read and change");
  const own = entry?.caFile ?? entry?.caParameter;
  return ok(
    "certificate",
    `the certificate is trusted, by the system's authorities${own === undefined ? "" : ` or those of ${own}`}`,
  );
}

function authenticationRow({ host, inspection: { listing, answer, credentialFrom } }: InspectedRegistry): Row {
  if (listing.kind === "denied")
    return failed(
      "authentication",
      listing,
      `${entryOf(host)}: username with passwordEnv, passwordFile, passwordParameter or passwordId`,
    );
  const isLoggedIn = !isRefused(listing);
  if (!isLoggedIn && answer === undefined) return notChecked("authentication", "the registry gave no answer");
  if (!isLoggedIn) return notChecked("authentication", "the check ended before this step");
  return ok(
    "authentication",
    credentialFrom === undefined
      ? "the registry asks for no credential"
      : `the registry accepts the credential of ${credentialFrom}`,
  );
}

function tagsRow({ repository, inspection: { listing, answer } }: InspectedRegistry): Row {
  if (listing.kind === "tags")
    return ok("tags", `${repository} has ${listing.tags.length} ${listing.tags.length === 1 ? "tag" : "tags"}`);
  if (listing.kind === "not-found")
    return failedFor(
      "tags",
      "repository-not-found",
      `the registry has no ${repository}, or hides it from this credential`,
    );
  const isOwnFault = listing.kind === "unreachable" && answer !== undefined && !isOwnLimit(listing);
  return isOwnFault ? failed("tags", listing) : notChecked("tags", "the check ended before this step");
}

function limitsRow({ host, inspection: { listing, answer } }: InspectedRegistry): Row {
  const change = `${entryOf(host)}: rateLimiting and circuitBreaker`;
  if (isRefused(listing) && isOwnLimit(listing)) return failed("limits", listing, change);
  if (answer === undefined) return notChecked("limits", "the registry gave no answer");
  const { limit, remaining, resetMs } = answer.statedLimit;
  const until = resetMs === undefined ? "" : `; the limit resets in ${formatDuration(wholeSeconds(resetMs))}`;
  if (remaining === 0)
    return failedFor("limits", "registry-throttled", `the registry allows no more requests now${until}`, change);
  if (limit === undefined && remaining === undefined) return ok("limits", "the registry states no limit");
  const left = remaining === undefined ? "" : `${remaining} left`;
  const of = limit === undefined ? "" : `${left === "" ? "" : " of "}${limit}`;
  return ok("limits", `the registry states ${left}${of} requests${until}`);
}

function clockRow({ inspection: { answer } }: InspectedRegistry, now: EpochMs): Row {
  if (answer?.serverTime === undefined) return notChecked("clock", "the registry did not send its time");
  const ahead = since(now, answer.serverTime);
  const difference = formatDuration(wholeSeconds(Math.abs(ahead)));
  if (Math.abs(ahead) <= mostClockDifference) return ok("clock", `the clocks differ by at most ${difference}`);
  return failedFor(
    "clock",
    "registry-clock-differs",
    `the registry's clock is ${difference} ${ahead > 0 ? "ahead" : "behind"}`,
  );
}

function ok(check: Check, detail: string): Row {
  return { check, result: "ok", detail };
}

function notChecked(check: Check, detail: string): Row {
  return { check, result: "not-checked", detail };
}

function failed(check: Check, refusal: RegistryRefusal, change?: string): Row {
  return failedFor(check, reasonOfRefusal(refusal), refusal.detail, change);
}

function failedFor(check: Check, reason: Reason, detail: string, change?: string): Row {
  return { check, result: "failed", detail, reason: reasonView(reason), ...(change === undefined ? {} : { change }) };
}

function entryOf(host: string): string {
  return `the entry of ${host} in registries`;
}

/** Returns whether the registry, or Lookout itself, refused the listing. */
function isRefused(listing: TagListing): listing is Extract<TagListing, RegistryRefusal> {
  return listing.kind !== "tags" && listing.kind !== "not-found";
}

/**
 * Returns whether Lookout did not ask the registry, because of its own limits or a pause that the
 * registry requested.
 */
function isOwnLimit(refusal: RegistryRefusal): boolean {
  const reason = reasonOfRefusal(refusal);
  return reason === "registry-throttled" || reason === "registry-circuit-open";
}

function wholeSeconds(ms: number) {
  return durationMs(Math.round(ms / 1_000) * 1_000);
}
