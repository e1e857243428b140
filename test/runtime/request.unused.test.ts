import { beforeEach, describe, expect, it } from "vitest";
import { memoryUnusedNotifications } from "#adapters/memory/unused-notifications";
import { pushReceivers } from "#adapters/webhook/receivers";
import { examine } from "#app/api/doctor";
import { reporter } from "#runtime/local/reporter";
import { handler } from "#functions/detect/registry-webhook";
import { seconds, toIso } from "#domain/shared/time";
import { type World, worldWithApi } from "#test/app/world";
import { stoppedClock } from "#test/stopped-clock";

const secret = "a secret of this test, which is long";
const receivers = pushReceivers(
  [
    { name: "own", kind: "distribution", secret },
    { name: "build", kind: "acr", secret },
    { name: "narrow", kind: "acr", secret, registries: ["r.test:443"] },
  ],
  stoppedClock,
);

let lookout: World;
let unusedNotifications: ReturnType<typeof memoryUnusedNotifications>;
/** The outcomes in the log. */
let logged: unknown[];
/** What the local process writes to stderr. */
let written: string[];

beforeEach(async () => {
  lookout = await worldWithApi();
  unusedNotifications = memoryUnusedNotifications();
  logged = [];
  written = [];
});

const portsWith = () => ({ ...lookout.ports, unusedNotifications });

const local = reporter({
  ...{ output: "text", colour: false, timeZone: "UTC", clusters: () => 1 },
  write: (line) => void written.push(line),
  writeError: (line) => void written.push(line),
});

async function notify(receiver: string, body: object, proof = secret, ports = portsWith()) {
  const request = new Request(`http://localhost/webhooks/${receiver}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: receiver === "own" ? `Bearer ${proof}` : proof },
  });
  const response = await handler(request, {
    ports,
    receivers,
    setAside: { deadLetter: () => Promise.reject(new Error()), keep: () => Promise.reject(new Error()) },
    log: {
      outcome: (entry) => {
        logged.push(entry);
        local.log.outcome(entry);
      },
      failure: () => void logged.push("a failure"),
    },
    signal: new AbortController().signal,
  });
  return { status: response.status, answer: (await response.json()) as object };
}

const event = {
  action: "push",
  target: {
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    repository: "a",
    digest: `sha256:${"a1".repeat(32)}`,
  },
};
const rejected = () => lookout.measurements.filter(({ name }) => name === "WebhooksRejected").map(({ about }) => about);
const findings = async () => {
  const { checks } = await examine(portsWith(), new AbortController().signal);
  return checks.filter(({ check }) => check.startsWith("receiver "));
};

const noHost = "the event names no host: set registry of this receiver in lookout.yaml";

describe("a notification without a host, to a receiver without registry", () => {
  it("is logged with the receiver's name, counted, and a finding of doctor", async () => {
    const at = toIso(lookout.ports.clock.now());
    const { status, answer } = await notify("own", { events: [event] });

    expect({ status, answer }).toEqual({ status: 202, answer: { ignored: `events[0]: ${noHost}` } });
    expect(logged).toEqual([{ id: "webhook own", outcome: { kind: "invalid", reason: `events[0]: ${noHost}` } }]);
    expect(written).toEqual([`! webhook own: events[0]: ${noHost}`]);
    expect(rejected()).toEqual([{ reason: "no-registry", receiver: "own" }]);
    expect(await findings()).toEqual([
      {
        check: "receiver own",
        verdict: "doubtful",
        detail: `a notification changed nothing at ${at}: events[0]: ${noHost}`,
        remedy: "The owner of lookout.yaml sets registry of the receiver to the host in the images of the workloads.",
      },
    ]);
  });

  it("is refused with its own code if the sender does not retry forever", async () => {
    const { status, answer } = await notify("build", event);

    expect(status).toBe(400);
    expect(answer).toMatchObject({ code: "no-registry", detail: noHost });
  });

  it("is counted with the instants of the first and the last", async () => {
    const first = toIso(lookout.ports.clock.now());
    await notify("own", { events: [event] });
    await lookout.pass(seconds(60));
    await notify("own", {});
    const last = toIso(lookout.ports.clock.now());

    expect(await findings()).toEqual([
      {
        check: "receiver own",
        verdict: "doubtful",
        detail: `2 notifications changed nothing since ${first}, the last at ${last}: expected {"events": […]} as JSON`,
        remedy: "The owner of lookout.yaml corrects the receiver's kind. To try a body: lookout webhook parse.",
      },
    ]);
  });

  it("is answered, logged and counted in the same way where no finding is stored", async () => {
    const { unusedNotifications: _, ...ports } = portsWith();
    const { status } = await notify("own", { events: [event] }, secret, ports as ReturnType<typeof portsWith>);

    expect(status).toBe(202);
    expect(logged).toHaveLength(1);
    expect(rejected()).toEqual([{ reason: "no-registry", receiver: "own" }]);
  });
});

describe("a notification of another registry than the receiver's registries", () => {
  it("is ignored and a finding of doctor, but no failure", async () => {
    const at = toIso(lookout.ports.clock.now());
    const reason = "registries of this receiver in lookout.yaml does not list other.test";
    const { status, answer } = await notify("narrow", { ...event, request: { host: "other.test" } });

    expect({ status, answer }).toEqual({ status: 202, answer: { ignored: reason } });
    expect(logged).toEqual([{ id: "webhook narrow", outcome: { kind: "ignored", reason } }]);
    expect(written).toEqual([]);
    expect(rejected()).toEqual([]);
    expect(await findings()).toEqual([
      {
        check: "receiver narrow",
        verdict: "doubtful",
        detail: `a notification changed nothing at ${at}: ${reason}`,
        remedy: "If workloads use this registry, the owner of lookout.yaml adds the host to registries.",
      },
    ]);
  });

  it("is not a notification whose host differs only in the port 443", async () => {
    const { answer } = await notify("narrow", { ...event, request: { host: "https://R.test" } });

    expect(answer).toEqual({ pushes: 1 });
  });
});

describe("a notification that is no finding", () => {
  it.each([
    ["a deletion", { action: "delete" }, secret, 202],
    ["a forged notification", event, "another secret of this test, long", 401],
    ["a push", { ...event, request: { host: "r.test" } }, secret, 202],
  ])("is %s", async (_, body, proof, expected) => {
    const { status } = await notify("build", body, proof);

    expect(status).toBe(expected);
    expect(await findings()).toEqual([]);
    expect(written).toEqual([]);
  });
});

describe("the line about a rejected notification", () => {
  it("has no control characters", () => {
    local.log.outcome({ id: "webhook own", outcome: { kind: "invalid", reason: "a\u001b[2J\nb" } });

    expect(written).toEqual(["! webhook own: a\ufffd[2J b"]);
  });
});
