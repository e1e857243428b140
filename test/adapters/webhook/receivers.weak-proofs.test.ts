import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { receiverKind, type ReceiverKind, receiverKinds } from "#contracts/config/receiver-kinds";
import { stoppedClock } from "#test/stopped-clock";
import { entryOf, secretOf } from "./notifications.ts";

/** The kinds whose senders sign with SHA-256 or better. */
const signing = (Object.keys(receiverKinds) as readonly ReceiverKind[]).filter((kind) =>
  /^hmac(?!-sha1)/.test(receiverKind(kind).authentication.scheme),
);
const body = Buffer.from("{}");

async function answerTo(kind: ReceiverKind, headers: Readonly<Record<string, string>>): Promise<string | undefined> {
  const receivers = pushReceivers([entryOf("x", kind, secretOf(kind, "current"))], stoppedClock);
  const receiver = await receivers.receiver("x");
  return (await receiver?.receive({ method: "POST", headers, query: {}, body }))?.kind;
}

describe("a signature by a broken algorithm", () => {
  it("is tried for at least three kinds of receivers", () => {
    expect(signing.length).toBeGreaterThanOrEqual(3);
  });

  it.each(signing)("proves nothing to %s, even with the right secret", async (kind) => {
    const { header = "" } = receiverKind(kind).authentication;
    const signed = (algorithm: string) => createHmac(algorithm, secretOf(kind, "current")).update(body).digest("hex");
    const values = [`md5=${signed("md5")}`, `sha1=${signed("sha1")}`, signed("md5"), signed("sha1"), "sha256=", "="];

    for (const value of values) expect(await answerTo(kind, { [header.toLowerCase()]: value })).toBe("unauthorized");
    // The header of GitHub's senders of before 2020.
    expect(await answerTo(kind, { "x-hub-signature": `sha1=${signed("sha1")}` })).toBe("unauthorized");
  });
});
