import type {
  PauseView,
  RegistriesView,
  RegistryCheckView,
  RegistryChecksView,
  RegistryResumedView,
  RegistryView,
} from "#contracts/api/registries";
import { addressesToAllow } from "./private-address.ts";
import { hang, paintMark, type Style, widthOf } from "./style.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";

/** Returns a table of the registries, then the running pauses. */
export function renderRegistries({ registries }: RegistriesView, style: Style): string {
  if (registries.length === 0)
    return "Lookout has no registry: lookout.yaml has no entry, and no tracked workload has an image.\n";
  const rows = registries.map((registry) => [
    registry.name,
    [registry.host, ...registry.aliases].join(", "),
    namespacesText(registry),
    credentialText(registry),
    limitText(registry, style),
    breakerText(registry, style),
  ]);
  const table = renderTable(["REGISTRY", "HOSTS", "NAMESPACES", "CREDENTIAL", "LIMIT", "BREAKER"], rows, style);
  const seen = new Map(registries.map(({ host, pauses }) => [host, pauses]));
  const pauses = [...seen].flatMap(([host, paused]) => pauseLines(host, paused, style));
  return pauses.length === 0 ? table : `${table}\n${pauses.join("\n")}\n`;
}

/** The most pauses of a registry that a text names. */
const mostPauses = 10;

function pauseLines(host: string, pauses: readonly PauseView[], style: Style): readonly string[] {
  const more = pauses.length - mostPauses;
  const lines = pauses.slice(0, mostPauses).map((pause) => {
    const end = `is paused, next request ${relative(pause.until, style)}`;
    return hang(`${paintMark("⏸", style)} `, `${pausedName(host, pause)} ${end}: ${causeText(pause, style)}`, style);
  });
  return more > 0 ? [...lines, `  and ${more} more paused repositories of ${host}`] : lines;
}

function pausedName(host: string, { repository }: PauseView): string {
  return repository === undefined ? host : `${host}/${repository}`;
}

/** Returns what the registry answered, and the pause that it asked for. */
function causeText({ detail, askedUntil }: PauseView, style: Style): string {
  return askedUntil === undefined ? detail : `${detail}, and asked for a pause until ${clock(askedUntil, style)}`;
}

/** Returns the pauses that `registry resume` ended. */
export function renderRegistryResumed(
  { host, ended, breaker, repositories }: RegistryResumedView,
  style: Style,
): string {
  const mark = `${paintMark("✓", style)} `;
  if (ended.length === 0 && breaker === "unchanged") return `${mark}${host}: nothing was paused.\n`;
  const more = ended.length - mostPauses;
  const lines = [
    ...ended
      .slice(0, mostPauses)
      .map((pause) => `The pause of ${pausedName(host, pause)} has ended: ${causeText(pause, style)}`),
    ...(more > 0 ? [`The pauses of ${more} more repositories have ended.`] : []),
    ...(breaker === "half-open" ? [`The circuit breaker of ${host} was open. The next request is a test.`] : []),
  ];
  const checks = `Lookout checks ${repositories} ${repositories === 1 ? "repository" : "repositories"} now.`;
  return `${[...lines.map((line) => hang(mark, line, style)), checks].join("\n")}\n`;
}

type Row = RegistryCheckView["rows"][number];

/** Returns the checks of each registry. A reason and a remedy follow each failed check. */
export function renderRegistryChecks({ registries }: RegistryChecksView, label: string, style: Style): string {
  const lines = registries.flatMap(({ name, host, repository, rows }) => [
    `${name}, checked with ${host}/${repository}`,
    ...rows.flatMap((row) => rowLines(row, style)),
    "",
  ]);
  const rows = registries.flatMap((registry) => registry.rows);
  const failed = rows.filter(({ result }) => result === "failed").length;
  const summary = failed === 0 ? "No check failed." : `${failed} of ${rows.length} checks failed.`;
  return `${[...lines, ...addressesToAllow({ registries }), summary, label].join("\n")}\n`;
}

const checkWidth = "authentication".length;

function rowLines({ check, result, detail, reason, change }: Row, style: Style): readonly string[] {
  const indent = `${markOf(result, style)} ${check.padEnd(checkWidth)}   `;
  const below = [
    ...(reason === undefined ? [] : [`${reason.sentence} ${reason.remedy}`]),
    ...(change === undefined ? [] : [`In lookout.yaml: ${change}`]),
  ];
  return [hang(indent, detail, style), ...below.map((text) => hang(" ".repeat(widthOf(indent)), text, style))];
}

function markOf(result: Row["result"], style: Style): string {
  return result === "not-checked" ? "–" : paintMark(result === "ok" ? "✓" : "✗", style);
}

function namespacesText({ namespaces, isListed }: RegistryView): string {
  if (!isListed) return "all (no entry)";
  return namespaces === undefined ? "all" : namespaces.join(", ");
}

function credentialText({ credential }: RegistryView): string {
  return credential === "default" ? "default login" : credential;
}

function limitText({ limit, pauses }: RegistryView, style: Style): string {
  const { requestsPerSecond, burst, tokensLeft, tokensLeased = 0, pausedUntil } = limit;
  if (pausedUntil !== undefined) return `${paintMark("⏸", style)} paused, next request ${relative(pausedUntil, style)}`;
  const paused = pauses.length === 0 ? "" : `; ${pauses.length} paused`;
  if (requestsPerSecond === undefined) return `none${paused}`;
  return `${requestsPerSecond}/s, ${tokensLeft ?? 0} of ${burst ?? 0} left, ${tokensLeased} leased${paused}`;
}

function breakerText({ breaker }: RegistryView, style: Style): string {
  const { state, failures = 0, until, lastFailure } = breaker;
  if (state === "off") return "– off";
  const last = lastFailure === undefined ? "" : `: ${lastFailure.detail}`;
  if (state === "closed" && failures === 0) return `${paintMark("✓", style)} closed`;
  if (state === "closed")
    return `${paintMark("!", style)} closed, ${failures} ${failures === 1 ? "failure" : "failures"}${last}`;
  const end = until === undefined ? "the next request is a test" : `next request ${relative(until, style)}`;
  return `${paintMark("✗", style)} ${state}, ${end}${last}`;
}
