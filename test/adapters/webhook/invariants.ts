import fc from "fast-check";
import { expect } from "vitest";
import type { ReceiveOutcome } from "#ports/push-receiver";

const tag = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const repository = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const digest = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;
const registry = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]+)?$/;

/** What holds of every answer, whatever was sent. */
export function expectInvariants(received: ReceiveOutcome, secret: string): void {
  if (received.kind === "handshake") return;
  if (received.kind !== "pushes") {
    expect(received.reason).not.toBe("");
    expect(received.reason).not.toContain(secret);
    return;
  }
  expect(received.pushes).not.toEqual([]);
  for (const push of received.pushes) {
    expect(push.id).toMatch(/^[\x21-\x7e]+$/);
    if (push.actor !== undefined) expect(push.actor).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u);
    if (push.pushedAt !== undefined) expect(new Date(push.pushedAt).getTime()).toBe(push.pushedAt);
    expect(new Set(push.tags).size).toBe(push.tags.length);
    expect(push.registry).toMatch(registry);
    expect(push.repository).toMatch(repository);
    expect(push.repository.length).toBeLessThanOrEqual(255);
    for (const one of push.tags) expect(one).toMatch(tag);
    if (push.digest !== undefined) expect(push.digest).toMatch(digest);
    expect(push.tags[0] ?? push.digest).toBeDefined();
  }
}

const hostileTexts = [
  ...["", " ", "\n", "\0", "..", "../x", "a/b", "1.0\n", "sha256:00", `sha256:${"a".repeat(64)}`, "a".repeat(300)],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "[::1]:5000",
    "Registry.Example.COM",
    "registry",
    "docker.io",
    "é",
    "\u202e",
  ],
  ...[
    "team/app",
    "app:1",
    "app@sha256:00",
    "https://user:password@registry.example.com/v2/",
    "registry.example.com:99",
  ],
];

/** A text that means something in one place or another, or nothing at all. */
export const anyText = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: "binary" }));

/** Anything that JSON can say, with texts that mean something. */
export const anyJson = fc.oneof(anyText, fc.jsonValue());
