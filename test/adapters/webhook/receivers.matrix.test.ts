import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createAdaptorServer } from "@hono/node-server";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { googleTokens, type ReceiverKind } from "#contracts/config/receiver-kinds";
import type { PushNotice } from "#ports/push-receiver";
import type { Invocation } from "#runtime/handler";
import { maximumBodyBytes, onNotification } from "#runtime/request";
import { stoppedClock } from "#test/stopped-clock";
import {
  allKinds,
  entryOf,
  type Notification,
  type Proof,
  proofOf,
  recordedPushes,
  secretOf,
} from "./notifications.ts";

type Kind = ReceiverKind | "gcr-gar with tokens";

/**
 * Whose proof is sent. The receiver knows `current`, during a rotation `next` as well, and after it
 * only `next`.
 */
type Whose = "current" | "next" | "other" | "wrong";

const attempts = [
  "without a proof",
  "with a wrong proof",
  "with a proof cut short",
  "with the proof of another receiver",
  "sent twice",
  "with the old and the new secret, during a rotation and after it",
  "with a wrong and a right proof, and the other way round",
  "with the value and the name of the proof in capitals",
  "of a mebibyte and a byte",
  "compressed with gzip",
  "as text/plain, and as a form",
] as const;

type Attempt = (typeof attempts)[number];

/**
 * The usual answers, of a proof in a header: a status, or what a 202 means. Attempts of several
 * requests have several.
 */
const usual: Readonly<Record<Attempt, string>> = {
  "without a proof": "401",
  "with a wrong proof": "401",
  "with a proof cut short": "401",
  "with the proof of another receiver": "401",
  "sent twice": "push push",
  "with the old and the new secret, during a rotation and after it": "push push 401 push",
  "with a wrong and a right proof, and the other way round": "401 401",
  "with the value and the name of the proof in capitals": "401 push",
  "of a mebibyte and a byte": "413",
  "compressed with gzip": "400",
  "as text/plain, and as a form": "push push",
};

/**
 * A proof in the address has no header that could be doubled: the first parameter counts, and its
 * name has a case.
 */
const inTheAddress = {
  "with a wrong and a right proof, and the other way round": "401 push",
  "with the value and the name of the proof in capitals": "401 401",
};
/** The digits of a signature may be written in capitals. */
const hexadecimal = { "with the value and the name of the proof in capitals": "push push" };
/** A sender that repeats a 4xx for ever gets a 202. */
const retriedForEver = { "compressed with gzip": "ignored" };

/** How the answers of a kind differ from the usual ones. */
const differences: Readonly<Record<Kind, Partial<Readonly<Record<Attempt, string>>>>> = {
  acr: {},
  "acr-eventgrid": inTheAddress,
  "aliyun-acr": inTheAddress,
  cdevents: inTheAddress,
  cloudevents: {},
  distribution: retriedForEver,
  dockerhub: inTheAddress,
  ecr: {},
  "gcr-gar": { ...inTheAddress, ...retriedForEver },
  "gcr-gar with tokens": retriedForEver,
  generic: {},
  // The form of GitHub and Gitea may hold the JSON, so a form without it is no notification.
  ghcr: { "as text/plain, and as a form": "push 400" },
  gitea: { ...hexadecimal, "as text/plain, and as a form": "push 401" },
  harbor: {},
  jfrog: hexadecimal,
  msr: inTheAddress,
  nexus: hexadecimal,
  quay: inTheAddress,
  zot: {},
};

const answerTo = (kind: Kind, attempt: Attempt): string => differences[kind][attempt] ?? usual[attempt];

const kinds = Object.keys(differences) as readonly Kind[];
const published: (readonly PushNotice[])[] = [];
let port: number;
let close: () => void;
let tokens: Readonly<Record<Whose, string>>;

beforeAll(async () => {
  const [current, next, wrong] = await Promise.all(
    ["current", "next", "wrong"].map(() => generateKeyPair("RS256", { extractable: true })),
  );
  const keyOf = async (pair: typeof current, kid: string) => ({
    ...(await exportJWK(pair!.publicKey)),
    kid,
    alg: "RS256",
  });
  const tokenOf = (pair: typeof current, kid: string, aud = "lookout"): Promise<string> =>
    new SignJWT({ iss: googleTokens.issuers[0], aud, sub: "1", exp: 60 })
      .setProtectedHeader({ alg: "RS256", kid })
      .sign(pair!.privateKey);
  tokens = {
    current: await tokenOf(current, "current"),
    next: await tokenOf(next, "next"),
    other: await tokenOf(current, "current", "another receiver"),
    wrong: await tokenOf(wrong, "current"),
  };
  const [currentKey, nextKey] = [await keyOf(current, "current"), await keyOf(next, "next")];
  const withKeys = (name: string, keys: readonly object[]) => ({
    ...entryOf(name, "gcr-gar", undefined),
    tokens: { audience: "lookout", issuers: googleTokens.issuers, subject: "1", keys: { keys } },
  });
  const receivers = pushReceivers(
    [
      ...allKinds.flatMap((kind) => [
        entryOf(`${kind}-current`, kind, secretOf(kind, "current")),
        entryOf(`${kind}-rotating`, kind, `${secretOf(kind, "next")}\n${secretOf(kind, "current")}\n`),
        entryOf(`${kind}-rotated`, kind, secretOf(kind, "next")),
      ]),
      withKeys("tokens-current", [currentKey]),
      withKeys("tokens-rotating", [nextKey, currentKey]),
      withKeys("tokens-rotated", [nextKey]),
    ],
    stoppedClock,
  );
  const notified = onNotification(async (pushes) => {
    published.push(pushes);
    return { pushes: pushes.length };
  });
  const invocation = {
    receivers,
    ports: { metrics: { add: () => undefined } },
    log: { outcome: () => undefined, failure: () => undefined },
  } as unknown as Invocation;
  const server = createAdaptorServer({ fetch: (request) => notified(request, invocation) });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  close = () => server.close();
});
afterAll(() => {
  close();
});

const ofKind = (kind: Kind): ReceiverKind => (kind === "gcr-gar with tokens" ? "gcr-gar" : kind);

function proof(kind: Kind, whose: Whose, body: Uint8Array | string): Proof {
  if (kind === "gcr-gar with tokens") return { header: ["Authorization", `Bearer ${tokens[whose]}`] };
  return proofOf(kind, secretOf(kind, whose), body);
}

interface Sent {
  readonly to?: "current" | "rotating" | "rotated";
  readonly body?: Uint8Array;
  readonly type?: string;
  readonly encoding?: string;
}

/** Sends the recorded push with these proofs; answers the status, and what a 202 means. */
async function send(
  kind: Kind,
  proofs: readonly Proof[],
  { to = "current", type, encoding, ...sent }: Sent = {},
): Promise<string> {
  const { headers, body } = notificationOf(kind);
  const bytes = sent.body ?? Buffer.from(body);
  const query = new URLSearchParams();
  for (const { query: one } of proofs) if (one !== undefined) query.append(...one);
  const name = kind === "gcr-gar with tokens" ? "tokens" : kind;
  const all = {
    ...Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])),
    ...(type === undefined ? {} : { "content-type": type }),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    host: "localhost",
    "content-length": String(bytes.length),
  };
  const before = published.length;
  const status = await new Promise<number>((resolve, reject) => {
    const request = httpRequest({
      ...{ port, host: "127.0.0.1", method: "POST", agent: false, path: `/webhooks/${name}-${to}?${query.toString()}` },
      // A list of names and values, in which a name may be there twice.
      headers: [
        ...Object.entries(all),
        ...proofs.flatMap(({ header }) => (header === undefined ? [] : [header])),
      ].flat() as never,
    });
    request.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end(bytes);
  });
  if (status !== 202) return String(status);
  return published.length > before ? "push" : "ignored";
}

const samples = new Map<Kind, Notification>();
function notificationOf(kind: Kind): Notification {
  const sample = samples.get(kind) ?? recordedPushes(ofKind(kind))[0];
  if (sample === undefined) throw new Error(`no push of ${kind} is recorded`);
  samples.set(kind, sample);
  return sample;
}

const changed = ({ header, query }: Proof, change: (text: string) => string, part: 0 | 1): Proof => {
  const both = ([name, value]: readonly [string, string]): [string, string] =>
    part === 0 ? [change(name), value] : [name, change(value)];
  return {
    ...(header === undefined ? {} : { header: both(header) }),
    ...(query === undefined ? {} : { query: both(query) }),
  };
};

const play: Readonly<Record<Attempt, (kind: Kind, body: string) => Promise<readonly string[]>>> = {
  "without a proof": async (kind) => [await send(kind, [])],
  "with a wrong proof": async (kind, body) => [await send(kind, [proof(kind, "wrong", body)])],
  "with a proof cut short": async (kind, body) => [
    await send(kind, [changed(proof(kind, "current", body), (value) => value.slice(0, -1), 1)]),
  ],
  "with the proof of another receiver": async (kind, body) => [await send(kind, [proof(kind, "other", body)])],
  "sent twice": async (kind, body) => {
    const one = [proof(kind, "current", body)];
    const answers = [await send(kind, one), await send(kind, one)];
    expect(published.at(-1)).toEqual(published.at(-2));
    return answers;
  },
  "with the old and the new secret, during a rotation and after it": async (kind, body) => {
    const [old, next] = [[proof(kind, "current", body)], [proof(kind, "next", body)]];
    return [
      ...[await send(kind, old, { to: "rotating" }), await send(kind, next, { to: "rotating" })],
      ...[await send(kind, old, { to: "rotated" }), await send(kind, next, { to: "rotated" })],
    ];
  },
  "with a wrong and a right proof, and the other way round": async (kind, body) => {
    const [wrong, right] = [proof(kind, "wrong", body), proof(kind, "current", body)];
    return [await send(kind, [wrong, right]), await send(kind, [right, wrong])];
  },
  "with the value and the name of the proof in capitals": async (kind, body) => {
    const right = proof(kind, "current", body);
    const capitals = (text: string): string => text.toUpperCase();
    return [await send(kind, [changed(right, capitals, 1)]), await send(kind, [changed(right, capitals, 0)])];
  },
  "of a mebibyte and a byte": async (kind, body) => {
    const large = Buffer.from(body.padEnd(maximumBodyBytes + 1 - (Buffer.byteLength(body) - body.length)));
    return [await send(kind, [proof(kind, "current", large)], { body: large })];
  },
  "compressed with gzip": async (kind, body) => {
    const small = gzipSync(body);
    return [await send(kind, [proof(kind, "current", small)], { body: small, encoding: "gzip" })];
  },
  "as text/plain, and as a form": async (kind, body) => {
    const right = [proof(kind, "current", body)];
    return [
      await send(kind, right, { type: "text/plain" }),
      await send(kind, right, { type: "application/x-www-form-urlencoded" }),
    ];
  },
};

describe.each(kinds)("a push of %s", (kind) => {
  it.each(attempts.map((attempt) => ({ attempt, expected: answerTo(kind, attempt) })))(
    "$attempt is answered with $expected",
    async ({ attempt, expected }) => {
      expect((await play[attempt](kind, notificationOf(kind).body)).join(" ")).toBe(expected);
    },
  );
});

describe("a receiver", () => {
  const deep = Buffer.from("[".repeat(500_000) + "]".repeat(500_000));

  it.each(allKinds)("of %s rejects JSON with 500,000 levels", async (kind) => {
    const expected = answerTo(kind, "compressed with gzip");

    expect(await send(kind, [proof(kind, "current", deep)], { body: deep })).toBe(expected);
  });
});

describe("the table of attempts", () => {
  it("has an answer for each of the 11 attempts and of each kind", () => {
    expect(attempts).toHaveLength(11);
    expect(kinds).toEqual(expect.arrayContaining([...allKinds]));
    expect(kinds).toHaveLength(allKinds.length + 1);
  });
});
