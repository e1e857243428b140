import { describe, expect, it } from "vitest";
import { startOptions } from "#cli/verbs/start";
import { lines, lookout } from "../world.ts";

describe("lookout start", () => {
  it("rejects an invalid address", async () => {
    expect(await lookout(["start", "--listen", "4040"], {})).toMatchObject({
      exitCode: 2,
      stderr: lines('✗ --listen "4040" is not an address: expected host:port.', "  For example: 127.0.0.1:4040"),
    });
  });

  it("reports why it can't start", async () => {
    expect(await lookout(["start", "--config", "lookout.yaml"], {}, { cwd: "/nowhere" })).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: "✗ the configuration /nowhere/lookout.yaml does not exist: name a readable file with --config\n",
    });
  });

  it("resolves paths from the current folder", () => {
    expect(
      startOptions(
        { kubeconfig: "kube", config: "/etc/lookout.yaml", listen: "[::1]:0", output: "json" },
        { cwd: "/here", isTerminal: true },
      ),
    ).toEqual({
      kubeconfig: "/here/kube",
      config: "/etc/lookout.yaml",
      listen: "[::1]:0",
      output: "json",
    });
    expect(
      startOptions(
        { output: "text", data: "other", context: "kind", observe: true },
        { cwd: "/here", isTerminal: false },
      ),
    ).toEqual({
      context: "kind",
      dataDir: "/here/other",
      observe: true,
      output: "text",
    });
  });

  it("prints words for users, and lines of JSON for programs", () => {
    const world = { cwd: "/here" };

    expect(startOptions({}, { ...world, isTerminal: true })).toEqual({ output: "text" });
    expect(startOptions({}, { ...world, isTerminal: false })).toEqual({ output: "json" });
  });
});
