import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { printableText } from "#domain/shared/shown-text";
import type { HostileReport } from "./hostile-registry.ts";

/** As small as a container may be: V8 lets a larger heap grow before it collects anything. */
const small = ["--max-old-space-size=72", "--max-semi-space-size=1"];

let report: HostileReport;
beforeAll(async () => {
  const program = fileURLToPath(new URL("hostile-registry.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...small, program], { maxBuffer: 2 ** 26 });
  report = JSON.parse(stdout) as HostileReport;
}, 240_000);

describe("a hostile registry", () => {
  it("has more than 60 cases, each with a credential at stake", () => {
    expect(report.cases.length).toBeGreaterThan(200);
    expect(report.rightful).toBeGreaterThan(100);
  });

  it("causes no connection to a forbidden address", () => {
    expect({ forbidden: report.forbidden, baited: report.baited }).toEqual({ forbidden: [], baited: 0 });
  });

  it("gets no credential of another host", () => {
    expect(report.leaks).toEqual([]);
  });

  it("changes no result and throws nothing", () => {
    const harmless = new Set(["layers elsewhere manifest", "content of another digest manifest"]);
    const believed = report.cases.flatMap(({ name, kinds }) => kinds.map((kind) => `${name} ${kind}`));
    const refused = /(?:unreachable|denied|not-allowed)$/;

    expect(believed.filter((line) => !refused.test(line) && !harmless.has(line))).toEqual([]);
  });

  it("causes a refusal with the key of lookout.yaml that would allow the host", () => {
    // The first answer of flip.example is a public address, and that is what is dialled.
    const own = report.cases.filter(({ name }) => name.startsWith("image of ") && !name.includes("flip.example"));

    expect(own.flatMap(({ details }) => details).filter((detail) => !detail.includes("allowPrivateNetwork"))).toEqual(
      [],
    );
    expect(own.length).toBeGreaterThan(20);
  });

  it("prints no control character, and no long text", () => {
    const details = report.cases.flatMap((one) => one.details);

    expect(details.filter((detail) => printableText(detail) !== detail || detail.length > 400)).toEqual([]);
  });

  it("answers each request within the caller's time", () => {
    expect(report.cases.filter(({ ms, limitMs }) => ms > limitMs + 1_000)).toEqual([]);
  });

  it("costs at most 300 MB together with its server", () => {
    expect(report.peakMb).toBeLessThanOrEqual(300);
  });
});
