import { access } from "node:fs/promises";
import { join } from "node:path";
import type { EventPattern } from "#contracts/events";
import { run } from "#test/cluster/bed/processes";
import { cacheFolder } from "../bed/cache.ts";

const version = "2.1.0";
const here = import.meta.dirname;

/**
 * Asks the matcher that EventBridge itself runs.
 *
 * @returns for each pattern, in their order, whether it takes each event.
 * @throws Error when a pattern is one that EventBridge would refuse, or Java is missing.
 */
export async function matches(
  patterns: readonly EventPattern[],
  events: readonly unknown[],
): Promise<readonly (readonly boolean[])[]> {
  const libraries = await fetchLibraries();
  const program = ["-cp", join(libraries, "*"), join(here, "Matches.java")];
  const answer = await run("java", program, { input: JSON.stringify({ patterns, events }) });
  return JSON.parse(answer) as boolean[][];
}

/** Fetches them with Maven, once. */
async function fetchLibraries(): Promise<string> {
  const folder = join(cacheFolder(), `event-ruler-${version}`);
  try {
    await access(join(folder, `event-ruler-${version}.jar`));
  } catch {
    const copy = ["-q", "-B", "-f", join(here, "pom.xml"), "dependency:copy-dependencies", "-DincludeScope=runtime"];
    await run("mvn", [...copy, `-DoutputDirectory=${folder}`]);
  }
  return folder;
}
