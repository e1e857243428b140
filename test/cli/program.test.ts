import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lines, lookout } from "./world.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

describe("the lookout command", () => {
  it("says its version", async () => {
    expect(await lookout(["--version"], {})).toMatchObject({ exitCode: 0, stdout: `lookout ${version}\n`, stderr: "" });
  });

  it("tells its exit codes and examples in its help", async () => {
    const { stdout, exitCode } = await lookout(["--help"], {});

    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      lines(
        "Exit codes:",
        "  0  done",
        "  1  the thing asked about is not so: not found, failed",
        "  2  the command or its input was wrong",
        "  3  Lookout or a cluster can't be reached",
        "  4  refused by policy or rights",
      ),
    );
    expect(stdout).toContain("Examples:\n  lookout start");
  });

  it.each([
    ["start"],
    ["demo"],
    ["push"],
    ["status"],
    ["watch"],
    ["explain"],
    ["history"],
    ["updates"],
    ["unblock"],
    ["quarantine"],
    ["quarantine", "list"],
    ["quarantine", "add"],
    ["quarantine", "lift"],
    ["doctor"],
    ["export"],
    ["import"],
    ["config"],
    ["config", "check"],
  ])("shows examples in the help of %s %s", async (...verb) => {
    const { stdout, exitCode } = await lookout([...verb, "--help"], {});

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Examples:\n  lookout ${verb.join(" ")}`);
  });

  it.each([
    {
      typed: ["statsu"],
      says: ["✗ Unknown command 'statsu'.", "  Did you mean status?", "  To see what there is:  lookout --help"],
    },
    {
      typed: ["status", "--outptu", "json"],
      says: [
        "✗ Unknown option '--outptu'.",
        "  Did you mean --output?",
        "  To see what there is:  lookout status --help",
      ],
    },
    {
      typed: ["status", "--output", "xml"],
      says: [
        "✗ Option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, json, yaml, name.",
        "  To see what there is:  lookout status --help",
      ],
    },
    {
      typed: ["explain"],
      says: ["✗ Missing required argument 'workload'.", "  To see what there is:  lookout explain --help"],
    },
    {
      typed: ["history", "shop/api", "--limit", "0"],
      says: [
        "✗ Option '--limit <number>' argument '0' is invalid. Expected a number from 1 to 1000.",
        "  To see what there is:  lookout history --help",
      ],
    },
  ])("says what was wrong with $typed", async ({ typed, says }) => {
    expect(await lookout(typed, {})).toEqual({ exitCode: 2, stdout: "", stderr: lines(...says), asked: [] });
  });

  it("shows its help when nothing is asked", async () => {
    const { stdout, stderr, exitCode } = await lookout([], {});

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain("Usage: lookout [options] [command]");
  });
});
