import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { mixedRange } from "./mixed-tags.ts";

const here = import.meta.dirname;
const root = join(here, "../..");

/** The first selection of each program, after its import. */
const programs = {
  lookout: `
    import { selectTag } from "#domain/policy/policy";
    import { parseRange } from "#domain/version/range";
    export const run = (tags) =>
      selectTag({ policy: { kind: "semver", range: parseRange("${mixedRange}").value, allowPrerelease: false }, allowDowngrade: false }, { tag: "v1.2.0" }, tags).tag;`,
  semver: `
    import semver from "semver";
    export const run = (tags) => semver.maxSatisfying(tags, "${mixedRange}");`,
} as const;

/** The milliseconds of each program's import and first selection. */
export type FirstCalls = Readonly<Record<keyof typeof programs, readonly number[]>>;

/** Bundles both programs, as a deployment does, and starts a process for each call, alternately. */
export function measureFirstCalls(count: number, tagCount: number): FirstCalls {
  const folder = mkdtempSync(join(tmpdir(), "lookout-first-call-"));
  try {
    for (const side of ["lookout", "semver"] as const)
      buildSync({
        stdin: { contents: programs[side], resolveDir: root, loader: "js" },
        outfile: join(folder, `${side}.mjs`),
        bundle: true,
        format: "esm",
        platform: "node",
        minify: true,
        logLevel: "error",
      });
    writeFileSync(join(folder, "timed.mjs"), timed(tagCount));
    const call = (side: string): number =>
      Number(execFileSync(process.execPath, [join(folder, "timed.mjs"), side], { encoding: "utf8" }));
    const calls = { lookout: [] as number[], semver: [] as number[] };
    for (let number = 0; number < count; number += 1)
      for (const side of ["lookout", "semver"] as const) calls[side].push(call(side));
    return calls;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(tagCount: number): string {
  return `
    const { mixedTags } = await import(${JSON.stringify(join(here, "mixed-tags.ts"))});
    const tags = [...mixedTags(${tagCount})];
    const start = performance.now();
    const { run } = await import("./" + process.argv[2] + ".mjs");
    run(tags);
    console.log(performance.now() - start);`;
}
