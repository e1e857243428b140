import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import type { ReceiverKind } from "#contracts/config/receiver-kinds";
import type { PushNotice, PushReceivers } from "#ports/push-receiver";
import type { Invocation } from "#runtime/handler";
import { onNotification } from "#runtime/request";
import { oftenTried } from "#test/property-runs";
import { stoppedClock } from "#test/stopped-clock";
import { expectInvariants } from "./invariants.ts";
import { allKinds, entryOf, type Notification, proofOf, recordedPushes, secretOf } from "./notifications.ts";

const samples = new Map(allKinds.map((kind) => [kind, recordedPushes(kind)]));

/** What is not JSON any more, or means another thing to each parser. */
const hostileJson = [
  ...[
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "-0",
    "9007199254740993",
    "123456789012345678901234567890",
    "1.0000000000000001",
  ],
  ...[
    '""',
    "[]",
    "{}",
    "[[]]",
    '{"__proto__":{"tag":"1"}}',
    '{"constructor":{"prototype":{"tag":"1"}}}',
    '"\\u0000"',
    '"\\ud800"',
  ],
  ...[
    '"\\u202e1.0"',
    '"1.0\\n"',
    '"../../etc/passwd"',
    '"127.0.0.1:1/x"',
    '"::1"',
    '"sha256:00"',
    `"${"a".repeat(300)}"`,
    "NaN",
    "'1.0'",
  ],
  ...[
    "[".repeat(5_000),
    "[".repeat(500) + "]".repeat(500),
    '{"a":'.repeat(300) + "1" + "}".repeat(300),
    '"\u001b[2J"',
    '"\u0007"',
  ],
] as const;

const hostileBytes = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0],
  [0xef, 0xbb, 0xbf],
  [0xe2, 0x80, 0xa8],
] as const;

type Change = Readonly<Record<"how" | "at" | "what", number>>;
const anyChange: fc.Arbitrary<Change> = fc.record({ how: fc.nat(8), at: fc.nat(), what: fc.nat() });

/** Of a text in JSON: where values stand, and what they are. */
const values = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null/g;

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const put = (text: string, from: number, to: number, piece: string): string =>
  text.slice(0, from) + piece + text.slice(to);

/** Changes one thing of a body; texts hold one byte in each character. */
function changed(text: string, { how, at, what }: Change): string {
  const found = [...text.matchAll(values)];
  const value = found[at % Math.max(found.length, 1)];
  const [from, to] = [value?.index ?? 0, (value?.index ?? 0) + (value?.[0].length ?? 0)];
  const hostile = Buffer.from(hostileJson[what % hostileJson.length] ?? "").toString("latin1");
  const spot = at % (text.length + 1);
  const pieces: readonly (() => string)[] = [
    () => text.slice(0, spot),
    () => put(text, from, to, hostile),
    () => put(text, from, to, `[${text.slice(from, to)},${text.slice(from, to)}]`),
    () => put(text, from, to, text.slice(from, to) === "" ? "" : (found[what % found.length]?.[0] ?? "")),
    () => put(text, spot, spot, String.fromCharCode(...(hostileBytes[what % hostileBytes.length] ?? []))),
    () => put(text, spot, spot + 1, String.fromCharCode(what % 256)),
    // A key that is there twice, of which parsers take the first or the last.
    () => text.replace(/"(\w+)"\s*:/, (key) => `${key}${hostile},${key}`),
    () => text.replace("{", `{"__proto__":${hostile},`),
    () => text + text.slice(0, spot),
  ];
  return pieces[how % pieces.length]?.() ?? text;
}

/** Google's notification is in the message, in base64: every second change is of what is inside. */
function fuzzed(kind: ReceiverKind, { body }: Notification, changes: readonly Change[]): Buffer {
  const of = (text: string): string => changes.reduce(changed, text);
  const text = Buffer.from(body).toString("latin1");
  const [, inside] = /"data":"([^"]*)"/.exec(text) ?? [];
  if (kind !== "gcr-gar" || inside === undefined || (changes[0]?.at ?? 0) % 2 === 0) return latin(of(text));
  return latin(text.replace(inside, latin(of(Buffer.from(inside, "base64").toString("latin1"))).toString("base64")));
}

const headerValues = [
  "",
  "package",
  "push",
  "ping",
  "__proto__",
  "a".repeat(9_000),
  "application/x-www-form-urlencoded",
  "\u00ff",
  "1.0",
] as const;

function fuzzedHeaders(headers: Notification["headers"], { at, what }: Change): Record<string, string> {
  const names = Object.keys(headers);
  const name = names[at % Math.max(names.length, 1)];
  if (name === undefined || what % 4 !== 0) return { ...headers };
  return { ...headers, [name]: headerValues[(what >> 2) % headerValues.length] ?? "" };
}

const settings = allKinds.map((kind) => entryOf(kind, kind, secretOf(kind, "current")));
const receivers: PushReceivers = pushReceivers(settings, stoppedClock);
let published: readonly PushNotice[] = [];
const failures: unknown[] = [];
const notified = onNotification(async (pushes) => {
  published = pushes;
  return { pushes: pushes.length };
});
const invocation = {
  receivers,
  ports: { metrics: { add: () => undefined } },
  log: { outcome: () => undefined, failure: ({ error }: { readonly error: unknown }) => failures.push(error) },
} as unknown as Invocation;

async function send(
  kind: ReceiverKind,
  body: Buffer,
  sent: Readonly<Record<string, string>>,
  isProved: boolean,
): Promise<number> {
  published = [];
  const { header, query } = isProved ? proofOf(kind, secretOf(kind, "current"), body) : {};
  const url = new URL(`http://localhost/webhooks/${kind}`);
  if (query !== undefined) url.searchParams.set(...(query as [string, string]));
  const headers = new Headers(sent);
  if (header !== undefined) headers.set(...(header as [string, string]));
  const { status } = await notified(
    new Request(url, { method: "POST", headers, body: new Uint8Array(body) }),
    invocation,
  );
  return status;
}

describe("a tampered notification", () => {
  it("ends no process, and publishes only well-formed pushes with a proof", async () => {
    const outcomes = new Map<number, number>();
    let pushes = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...allKinds),
        fc.nat(),
        fc.array(anyChange, { minLength: 1, maxLength: 3 }),
        async (kind, which, changes) => {
          const recorded = samples.get(kind) ?? [];
          const one = recorded[which % recorded.length];
          if (one === undefined) throw new Error(`no push of ${kind} is recorded`);
          const [body, headers] = [fuzzed(kind, one, changes), fuzzedHeaders(one.headers, changes[0] as Change)];

          expect(await send(kind, body, headers, false)).toBe(401);
          expect(published).toEqual([]);

          const status = await send(kind, body, headers, true);
          outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
          expect([200, 202, 400, 401]).toContain(status);
          if (published.length > 0) expectInvariants({ kind: "pushes", pushes: published }, secretOf(kind, "current"));
          pushes += published.length;
        },
      ),
      oftenTried,
    );
    expect(failures).toEqual([]);
    expect(pushes).toBeGreaterThan(oftenTried.numRuns / 20);
    console.log(
      `fuzzed: ${oftenTried.numRuns}, ${[...outcomes].map(([status, count]) => `${status}: ${count}`).join(", ")}, pushes: ${pushes}`,
    );
  });
});
