import { run } from "#test/cluster/bed/processes";

/**
 * The result of distribution/reference for a text. Missing parts are empty. With a problem, all
 * parts are empty.
 */
export interface DistributionAnswer {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly familiar: string;
  readonly canonical: string;
  /** Our own code of the problem. Empty for a valid reference. */
  readonly problem: string;
}

/**
 * Parses texts with the package that container runtimes use.
 *
 * @returns an answer for each text, in order.
 * @throws Error if Go or its modules are missing
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
