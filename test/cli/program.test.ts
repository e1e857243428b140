import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lines, lookout } from "./world.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

describe("the lookout command", () => {
  it("prints its version", async () => {
    expect(await lookout(["--version"], {})).toMatchObject({ exitCode: 0, stdout: `lookout ${version}\n`, stderr: "" });
  });

  it("shows its exit codes and examples in its help", async () => {
    const { stdout, exitCode } = await lookout(["--help"], {});

    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      lines(
        "Exit codes:",
        "  0  done",
        "  1  the result is negative: not found, not selected, failed",
        "  2  the command or its input is wrong",
        "  3  Lookout or a cluster can't be reached",
        "  4  a policy or missing rights refuse the command",
      ),
    );
    expect(stdout).toContain("Examples:\n  lookout start");
  });

  it.each([
    ["start"],
    ["demo"],
    ["outdated"],
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
      says: ["✗ Unknown command 'statsu'.", "  Did you mean status?", "  To see all commands:  lookout --help"],
    },
    {
      typed: ["cluster", "lst"],
      says: ["✗ Unknown command 'lst'.", "  Did you mean list?", "  To see all options:  lookout cluster --help"],
    },
    { typed: ["config", "chek"], says: ["✗ Unknown command 'chek'.", "  Did you mean check?"] },
    { typed: ["help", "statsu"], says: ["✗ Unknown command 'statsu'.", "  Did you mean status?"] },
    { typed: ["help", "cluster", "lst"], says: ["✗ Unknown command 'lst'.", "  Did you mean list?"] },
    {
      typed: ["status", "--output", "jsn"],
      says: [
        "✗ Option '-o, --output <format>' argument 'jsn' is invalid. Expected one of: table, wide, json, yaml, name.",
        "  Did you mean json?",
        "  To see all options:  lookout status --help",
      ],
    },
    {
      typed: ["status", "--outptu", "json"],
      says: [
        "✗ Unknown option '--outptu'.",
        "  Did you mean --output?",
        "  To see all options:  lookout status --help",
      ],
    },
    {
      typed: ["status", "--output", "xml"],
      says: [
        "✗ Option '-o, --output <format>' argument 'xml' is invalid. Expected one of: table, wide, json, yaml, name.",
        "  To see all options:  lookout status --help",
      ],
    },
    {
      typed: ["explain"],
      says: ["✗ Missing required argument 'workload'.", "  To see all options:  lookout explain --help"],
    },
    {
      typed: ["history", "shop/api", "--limit", "0"],
      says: [
        "✗ Option '--limit <number>' argument '0' is invalid. Expected a number from 1 to 1000.",
        "  To see all options:  lookout history --help",
      ],
    },
  ])("reports the fault of $typed", async ({ typed, says }) => {
    expect(await lookout(typed, {})).toEqual({ exitCode: 2, stdout: "", stderr: lines(...says), asked: [] });
  });

  it.each([[], ["cluster"]])("shows its help without a command: %j", async (...typed: readonly string[]) => {
    const { stdout, stderr, exitCode } = await lookout(typed, {});

    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain(`Usage: ${["lookout", ...typed].join(" ")} [options] [command]`);
  });
});
