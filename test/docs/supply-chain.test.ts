import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { page, project } from "./markdown.ts";

interface Locked {
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
}

const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** Packages that are for one system only hold native programs. */
const native = Object.entries(lock.packages)
  .filter(([, { os, cpu }]) => os !== undefined || cpu !== undefined)
  .map(([path, locked]) => ({
    name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    ...locked,
  }));

const { text } = page("docs/supply-chain.md");
const rows = [...text.matchAll(/^\| `([^`]+)` +\| ([^|]+?) +\|[^|]+\|[^|]+\| ([^|]+?) +\|$/gm)].map(
  ([, pattern = "", version = "", license = ""]) => ({ pattern, version, license }),
);
const isNamedBy = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

describe("the table of native programs", () => {
  it.each(native)("has version and licence of $name, as the lock file pins them", ({ name, version, license }) => {
    const row = rows.filter(({ pattern }) => isNamedBy(pattern, name));

    expect(row.map((one) => ({ version: one.version, license: one.license }))).toEqual([
      { version, license: license.replace(/^\((.*)\)$/, "$1") },
    ]);
  });

  it.each(rows)("has no row without a package: $pattern", ({ pattern }) => {
    expect(native.filter(({ name }) => isNamedBy(pattern, name))).not.toEqual([]);
  });

  it("has the checksums for Linux x64, as the lock file pins them", () => {
    const linux = native.filter(({ os, cpu }) => [os].flat().includes("linux") && [cpu].flat().includes("x64"));
    const lines = linux.map(({ name, version, integrity }) => `${name}@${version}\n  ${integrity}\n`);

    expect(/```text\n(.*?)```/s.exec(text)?.[1]).toBe(lines.join(""));
  });
});
