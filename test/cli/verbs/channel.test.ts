import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ChannelView } from "#contracts/api/channels";
import { manifestOf } from "#channels/slack/manifest";
import { namesIn } from "#contracts/config/channel-events";
import { wordsOf } from "#runtime/text-width";
import { lines, lookout } from "../world.ts";

const at = "2026-11-21T18:45:53.000Z";
const well: ChannelView = {
  name: "releases",
  kind: "slack",
  form: "updates",
  events: [...namesIn(["rollouts", "failures", "approvals"])],
  minSeverity: "info",
  state: "well",
  untold: 0,
  toldAt: "2026-11-21T16:45:53.000Z",
};
const paused: ChannelView = {
  ...well,
  ...{ name: "audit", kind: "webhook", form: "facts", minSeverity: "debug", state: "paused", untold: 2 },
  ...{ why: "the server answered 503", since: at, until: "2026-11-21T18:47:53.000Z" },
};
const off: ChannelView = {
  ...well,
  ...{ name: "pager", kind: "pagerduty", form: "incidents", events: [...namesIn(["failures"]), "UpdateHeld"] },
  ...{ minSeverity: "error", clusters: ["prod"], namespaces: ["shop-*", "!shop-test"], onlyNamed: true },
  ...{ state: "off", why: "the server answered 403", untold: 1 },
};
const unusable: ChannelView = { ...well, name: "ops", state: "unusable", why: "the variable OPS is not set" };
const failing: ChannelView = { ...well, name: "dev", state: "failing", why: "no answer within 10s" };
const listed = (...channels: readonly ChannelView[]) => ({ "GET /v1/channels": { body: { at, channels } } });

describe("lookout channel list", () => {
  it("says what each channel tells, and what to do about those that do not work", async () => {
    expect(await lookout(["channel", "list"], listed(well, paused, off, unusable, failing))).toMatchObject({
      exitCode: 1,
      stderr: "",
      stdout: lines(
        "CHANNEL    KIND        STATE        LAST TOLD   TELLS",
        "releases   slack       well         2 h ago     rollouts, failures, approvals",
        "audit      webhook     ⏸ paused     2 h ago     rollouts, failures, approvals",
        "pager      pagerduty   ✗ off        2 h ago     failures, UpdateHeld from error of prod, shop-*, !shop-test of workloads that name it",
        "ops        slack       ✗ unusable   2 h ago     rollouts, failures, approvals",
        "dev        slack       ⏸ failing    2 h ago     rollouts, failures, approvals",
        "",
        "⏸ audit: the server answered 503. 2 facts were not told. It is tried again in 2 m.",
        "✗ pager: the server answered 403. 1 fact was not told. Try it: lookout channel test pager",
        "✗ ops: the variable OPS is not set. Try it: lookout channel test ops",
        "⏸ dev: no answer within 10s. Try it: lookout channel test dev",
      ),
    });
  });

  it("ends with 0 while each channel tells something, or will", async () => {
    expect(await lookout(["channel", "list"], listed(well, paused, failing))).toMatchObject({ exitCode: 0 });
    expect(await lookout(["channel", "list"], listed({ ...well, toldAt: undefined as never }))).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "CHANNEL    KIND    STATE   LAST TOLD   TELLS",
        "releases   slack   well    -           rollouts, failures, approvals",
      ),
    });
  });

  it("says how to add the first channel", async () => {
    expect(await lookout(["channel", "list"], listed())).toMatchObject({
      exitCode: 0,
      stdout: "lookout.yaml has no channels, so Lookout tells nobody. To add one: docs/channels.md\n",
    });
  });

  it("prints names and JSON for programs", async () => {
    expect((await lookout(["channel", "list", "-o", "name"], listed(well, off))).stdout).toBe(
      lines("releases", "pager"),
    );
    expect(JSON.parse((await lookout(["channel", "list", "-o", "json"], listed(well))).stdout)).toEqual({
      ...{ apiVersion: "lookout.dev/v1", kind: "ChannelList", at, channels: [well] },
    });
  });

  it.each([60, 80, 120])("has no longer sentence than a terminal of %i columns", async (columns) => {
    const { stdout } = await lookout(["channel", "list"], listed(paused, off, unusable), {
      ...{ isTerminal: true, columns },
      environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", NO_COLOR: "1" },
    });
    const sentences = stdout.split("\n\n")[1]!.split("\n");

    expect(sentences.filter((line) => line.length > columns && wordsOf(line.trim()).length > 1)).toEqual([]);
  });

  it("shows no control character of a server's answer", async () => {
    const hostile = { ...off, why: "the server answered \u001b[2J\u0007<!channel>" };
    expect((await lookout(["channel", "list"], listed(hostile))).stdout).not.toMatch(/\p{Cc}(?<!\n)/u);
  });
});

describe("lookout channel test", () => {
  const answer = (body: object) => ({
    "POST /v1/channels/releases/test": { body: { name: "releases", ...body } },
  });

  it.each([
    ["told", undefined, 0, "✓ releases took the message. Look whether people can see it."],
    [
      "later",
      "no answer within 10s",
      1,
      "⏸ releases gave no answer that counts, and is tried again when there is something to tell: no answer within 10s",
    ],
    ["refused", "the server answered 400", 1, "✗ releases does not take this message: the server answered 400"],
    ["off", "the server answered 401", 1, "✗ releases tells nothing until this is corrected: the server answered 401"],
  ])("says what %s means", async (outcome, why, exitCode, text) => {
    expect(await lookout(["channel", "test", "releases"], answer({ outcome, why }))).toMatchObject({
      exitCode,
      stdout: lines(text),
      stderr: "",
    });
  });

  it("names the nearest channel for an unknown one", async () => {
    const detail = "no channel is called release; known are releases; did you mean releases?";
    const body = { type: "about:blank", title: "Not Found", status: 404, code: "not-found", detail };
    const { exitCode, stdout, stderr } = await lookout(["channel", "test", "release"], {
      "POST /v1/channels/release/test": { status: 404, body, type: "application/problem+json" },
    });

    expect({ exitCode: exitCode > 0, stdout, stderr }).toEqual({
      exitCode: true,
      stdout: "",
      stderr: expect.stringContaining("did you mean releases?") as string,
    });
  });
});

describe("lookout channel explain", () => {
  const view = {
    ...{ name: "releases", fact: "RolledBack", verdict: "opens" },
    checks: [
      { check: "event", isPassed: true, detail: "events has RolledBack" },
      { check: "severity", isPassed: true, detail: "the severity is error, and the channel tells from info on" },
      { check: "quiet", isPassed: false, detail: "quiet hours: only warnings and failures are told now" },
    ],
    told: { shows: 2, at, reference: "1700000000.000100" },
  };

  it("says why something is told, and what was told", async () => {
    const asked = "GET /v1/channels/releases/explanation?fact=u-1%2F7%2F9%2FRolledBack";
    expect(
      await lookout(["channel", "explain", "releases", "u-1/7/9/RolledBack"], { [asked]: { body: view } }),
    ).toEqual(
      expect.objectContaining({
        exitCode: 0,
        stdout: lines(
          "RolledBack: releases tells it.",
          "  ✓ events has RolledBack",
          "  ✓ the severity is error, and the channel tells from info on",
          "  ✗ quiet hours: only warnings and failures are told now",
          "  It has a message about this update, sent or changed 2 times.",
        ),
      }),
    );
  });

  it("says of a workload's fact why it is not told", async () => {
    const workload = "prod/shop/deployment/api";
    const asked = `GET /v1/channels/releases/explanation?fact=UpdateHeld&workload=${encodeURIComponent(workload)}`;
    const body = {
      ...{ name: "releases", fact: "UpdateHeld", verdict: "ignored" },
      checks: [{ check: "event", isPassed: false, detail: "events lacks UpdateHeld" }],
    };
    const typed = ["channel", "explain", "releases", "UpdateHeld", "--workload", workload];

    expect((await lookout(typed, { [asked]: { body } })).stdout).toBe(
      lines("UpdateHeld: releases ignores it.", "  ✗ events lacks UpdateHeld"),
    );
  });
});

describe("lookout channel manifest", () => {
  let cwd = "";
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), "lookout-channel-"));
    writeFileSync(
      join(cwd, "lookout.yaml"),
      lines(
        "channels:",
        '  - { name: audit, kind: webhook, address: "https://hooks.example.com/x", secretEnv: HOOK }',
        "  - { name: releases, kind: slack, channel: C0123456789 }",
      ),
    );
  });
  afterAll(() => {
    rmSync(cwd, { recursive: true });
  });
  const typed = (...more: readonly string[]) => lookout(["channel", "manifest", ...more], {}, { cwd, environment: {} });

  it("prints the app of a channel in Slack, without its secret and without a server", async () => {
    const { exitCode, stdout, asked } = await typed("releases", "-o", "json");
    const manifest: unknown = JSON.parse(stdout);

    expect({ exitCode, asked, manifest }).toEqual({
      exitCode: 0,
      asked: [],
      manifest: manifestOf({ name: "releases" }),
    });
    expect(parse((await typed("releases")).stdout)).toEqual(manifest);
  });

  it("says why a channel has none, and asks no server", async () => {
    expect(await typed("audit")).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        "✗ The channel audit is of the kind webhook, which needs no app: only slack has a manifest.",
        "  To try the channel:  lookout channel test audit",
      ),
      asked: [],
    });
  });

  it("names the nearest channel for an unknown one", async () => {
    expect(await typed("audti")).toMatchObject({
      exitCode: 2,
      stderr: "✗ No channel is called audti; known are audit, releases; did you mean audit?\n",
    });
  });

  it("says so if the file has no channels", async () => {
    writeFileSync(join(cwd, "empty.yaml"), "");
    expect(await typed("audit", "--config", "empty.yaml")).toMatchObject({
      exitCode: 2,
      stderr: "✗ No channel is called audit; the file has no channels\n",
    });
  });

  it("needs a readable file", async () => {
    expect(await typed("audit", "--config", "other.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("other.yaml does not exist") as string,
    });
  });
});
