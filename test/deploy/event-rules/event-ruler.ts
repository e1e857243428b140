import { access } from "node:fs/promises";
import { join } from "node:path";
import { run } from "#test/cluster/bed/processes";
import { cacheFolder } from "../bed/cache.ts";

const version = "2.1.0";
const here = import.meta.dirname;

/** A pattern and the events to match. */
export interface Question {
  readonly pattern: unknown;
  readonly events: readonly unknown[];
}

/** The match of each event, in order, or the problem of an invalid pattern. */
export type Verdict = readonly boolean[] | string;

/**
 * Matches events with EventBridge's own matcher.
 *
 * @throws Error if Java is missing.
 */
export async function verdicts(questions: readonly Question[]): Promise<readonly Verdict[]> {
  const libraries = await fetchLibraries();
  const program = ["-cp", join(libraries, "*"), join(here, "Matches.java")];
  const input = questions.map(({ pattern, events }) => ({
    pattern: JSON.stringify(pattern),
    events: events.map((event) => JSON.stringify(event)),
  }));
  return JSON.parse(await run("java", program, { input: JSON.stringify(input) })) as Verdict[];
}

/** Fetches the matcher's libraries with Maven. Returns their folder. */
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
