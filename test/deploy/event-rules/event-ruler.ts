import { access } from "node:fs/promises";
import { join } from "node:path";
import { run } from "#test/cluster/bed/processes";
import { cacheFolder } from "../bed/cache.ts";

const version = "2.1.0";
const here = import.meta.dirname;

/** A pattern, and the events that it is asked about. */
export interface Question {
  readonly pattern: unknown;
  readonly events: readonly unknown[];
}

/** Whether the pattern takes each event, in their order; or why it is no pattern. */
export type Verdict = readonly boolean[] | string;

/**
 * Asks the matcher that EventBridge itself runs.
 *
 * @throws Error when Java is missing.
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
