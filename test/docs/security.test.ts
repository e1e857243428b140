import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { page, project } from "./markdown.ts";

const { text } = page("docs/security.md");
const attackers = text
  .slice(text.indexOf("## Who attacks"), text.indexOf("## What is not stopped"))
  .split("\n### ")
  .slice(1)
  .map((section) => ({
    who: section.slice(0, section.indexOf("\n")),
    tests: [...section.matchAll(/^- `([^`]+)`$/gm)].map(([, path = ""]) => path),
  }));

describe("the threat model", () => {
  it("is one page of at most 700 words", () => {
    expect(text.split(/\s+/).filter((word) => word !== "").length).toBeLessThanOrEqual(700);
  });

  it("names all attackers", () => {
    expect(attackers.map(({ who }) => who)).toEqual([
      "Sender of webhooks",
      "Registry",
      "Tenant of a namespace",
      "Page in a browser",
      "Caller of the API",
      "Principal of AWS",
      "Publisher of images",
      "Another user of the machine",
      "Lookout's own credential",
    ]);
  });

  it.each(attackers)("names tests of $who that exist", ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !/^test\/.*[.]test[.]ts$/.test(path) || !existsSync(join(project, path)))).toEqual(
      [],
    );
  });
});
