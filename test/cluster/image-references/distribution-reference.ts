import { run } from "#test/cluster/bed/processes";

/** What distribution/reference reads a text as. Parts that are not there are empty, and all of them where there is a problem. */
export interface DistributionAnswer {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly familiar: string;
  readonly canonical: string;
  /** A code of our own; empty for a reference. */
  readonly problem: string;
}

/**
 * Asks the package by which container runtimes read references.
 *
 * @returns an answer for each text, in their order.
 * @throws Error when Go is missing, or its modules can't be had.
 */
export async function distributionAnswers(texts: readonly string[]): Promise<readonly DistributionAnswer[]> {
  const environment = { HOME: process.env["HOME"] ?? "", CGO_ENABLED: "0", GOFLAGS: "-mod=readonly", GOWORK: "off" };
  const input = texts.map((text) => JSON.stringify(text)).join("\n");
  const answers = await run("go", ["-C", import.meta.dirname, "run", "."], { input, environment });
  return answers
    .trimEnd()
    .split("\n")
    .map((answer) => JSON.parse(answer) as DistributionAnswer);
}
