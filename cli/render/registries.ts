import type { RegistriesView, RegistryCheckView, RegistryChecksView, RegistryView } from "#contracts/api/registries";
import { hang, paintMark, type Style, widthOf } from "./style.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Returns a table of the registries. */
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
  return renderTable(["REGISTRY", "HOSTS", "NAMESPACES", "CREDENTIAL", "LIMIT", "BREAKER"], rows, style);
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
  return `${[...lines, summary, label].join("\n")}\n`;
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

function limitText({ limit }: RegistryView, style: Style): string {
  const { requestsPerSecond, burst, tokensLeft, tokensLeased = 0, pausedUntil } = limit;
  if (pausedUntil !== undefined) return `${paintMark("⏸", style)} paused, next request ${relative(pausedUntil, style)}`;
  if (requestsPerSecond === undefined) return "none";
  return `${requestsPerSecond}/s, ${tokensLeft ?? 0} of ${burst ?? 0} left, ${tokensLeased} leased`;
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
