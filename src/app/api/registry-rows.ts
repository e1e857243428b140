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

/** The findings behind the rows of a registry. */
export interface InspectedRegistry {
  readonly host: string;
  /** The path of the repository that was asked for. */
  readonly repository: string;
  /** Absent: lookout.yaml has no entry that serves the repository. */
  readonly entry?: RegistryEntry | undefined;
  readonly inspection: RegistryInspection;
}

/** Tokens and signatures are valid for minutes. A Date header has whole seconds. */
const mostClockDifference = seconds(60);

/** Returns the rows of an inspection, one for each check in their order. */
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
    return ok("address", isPrivate ? "it answers; allowPrivateNetwork allows any address" : "it answers");
  const isReached =
    !isRefused(listing) || listing.kind === "denied" || reasonOfRefusal(listing) === "registry-not-trusted";
  if (isReached) return ok("address", "it can be reached");
  if (isOwnLimit(listing)) return notChecked("address", "it was not asked: see limits");
  return failed("address", listing, `${entryOf(host)}: endpoint or proxy, if it is reached elsewhere`);
}

function certificateRow({ host, entry, inspection: { listing, answer } }: InspectedRegistry): Row {
  if (isRefused(listing) && reasonOfRefusal(listing) === "registry-not-trusted")
    return failed("certificate", listing, `${entryOf(host)}: caFile or caParameter`);
  if (answer === undefined) return notChecked("certificate", "no answer of it was seen");
  if (answer.scheme === "http") return ok("certificate", "none: insecure says HTTP, which others can read and change");
  const own = entry?.caFile ?? entry?.caParameter;
  return ok(
    "certificate",
    `it is trusted, by the system's authorities${own === undefined ? "" : ` or those of ${own}`}`,
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
  if (!isLoggedIn && answer === undefined) return notChecked("authentication", "no answer of it was seen");
  if (!isLoggedIn) return notChecked("authentication", "it did not get so far");
  return ok(
    "authentication",
    credentialFrom === undefined ? "it asks for no credential" : `with the credential of ${credentialFrom}`,
  );
}

function tagsRow({ repository, inspection: { listing, answer } }: InspectedRegistry): Row {
  if (listing.kind === "tags")
    return ok("tags", `${repository} has ${listing.tags.length} ${listing.tags.length === 1 ? "tag" : "tags"}`);
  if (listing.kind === "not-found")
    return failedFor("tags", "repository-not-found", `it has no ${repository}, or hides it from this credential`);
  const isOwnFault = listing.kind === "unreachable" && answer !== undefined && !isOwnLimit(listing);
  return isOwnFault ? failed("tags", listing) : notChecked("tags", "it did not get so far");
}

function limitsRow({ host, inspection: { listing, answer } }: InspectedRegistry): Row {
  const change = `${entryOf(host)}: rateLimiting and circuitBreaker`;
  if (isRefused(listing) && isOwnLimit(listing)) return failed("limits", listing, change);
  if (answer === undefined) return notChecked("limits", "no answer of it was seen");
  const { limit, remaining, resetMs } = answer.statedLimit;
  const until = resetMs === undefined ? "" : `; it starts anew in ${formatDuration(wholeSeconds(resetMs))}`;
  if (remaining === 0)
    return failedFor("limits", "registry-throttled", `it allows no more requests now${until}`, change);
  if (limit === undefined && remaining === undefined) return ok("limits", "it states none");
  const left = remaining === undefined ? "" : `${remaining} left`;
  const of = limit === undefined ? "" : `${left === "" ? "" : " of "}${limit}`;
  return ok("limits", `it states ${left}${of} requests${until}`);
}

function clockRow({ inspection: { answer } }: InspectedRegistry, now: EpochMs): Row {
  if (answer?.serverTime === undefined) return notChecked("clock", "it did not say its time");
  const ahead = since(now, answer.serverTime);
  const difference = formatDuration(wholeSeconds(Math.abs(ahead)));
  if (Math.abs(ahead) <= mostClockDifference) return ok("clock", `it differs by ${difference} at most`);
  return failedFor("clock", "registry-clock-differs", `its clock is ${difference} ${ahead > 0 ? "ahead" : "behind"}`);
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

/** The registry, or Lookout itself, refused the listing. */
function isRefused(listing: TagListing): listing is Extract<TagListing, RegistryRefusal> {
  return listing.kind !== "tags" && listing.kind !== "not-found";
}

/** Lookout did not ask, because of its own limits or a pause that the registry asked for. */
function isOwnLimit(refusal: RegistryRefusal): boolean {
  const reason = reasonOfRefusal(refusal);
  return reason === "registry-throttled" || reason === "registry-circuit-open";
}

function wholeSeconds(ms: number) {
  return durationMs(Math.round(ms / 1_000) * 1_000);
}
