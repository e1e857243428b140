import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ReceiverSettings } from "#adapters/webhook/settings";
import { authenticationSchemes, receiverKind, hmacAlgorithms } from "#contracts/config/receiver-kinds";
import { parseInstant } from "#domain/shared/time";
import {
  configuredRegistry,
  kindOf,
  receiverWith,
  requestOf,
  summaryOf,
  type WebhookCase,
  webhookCases,
} from "./fixtures.ts";

const Secret = z.object({
  secret: z.string(),
  header: z.string(),
  scheme: z.enum(authenticationSchemes),
  prefix: z.string().exactOptional(),
  algorithms: z.array(z.enum(hmacAlgorithms)).exactOptional(),
});
const Tokens = z.object({
  jwks: z.object({ keys: z.array(z.looseObject({})) }),
  issuers: z.array(z.string()),
  audience: z.string(),
  email: z.string(),
  now: z.string(),
});

/** The entry of `lookout.yaml` for what the fixture says is configured. */
function settingsOf(one: WebhookCase): ReceiverSettings {
  const kind = kindOf(one);
  const registry = receiverKind(kind).namesRegistry === "always" ? undefined : configuredRegistry;
  const entry = { name: "recorded", kind, registry, secret: undefined };
  const tokens = Tokens.safeParse(one.fixture);
  if (tokens.success) return { ...entry, tokens: { ...tokens.data, keys: tokens.data.jwks } };
  const { secret, header, scheme, prefix, algorithms } = Secret.parse(one.fixture);
  const query = /^\(query\) (.*)$/.exec(header)?.[1];
  const place = query === undefined ? { header } : { query };
  const form = { ...(prefix === undefined ? {} : { prefix }), ...(algorithms === undefined ? {} : { algorithms }) };
  return {
    ...entry,
    secret,
    authentication: { scheme, ...place, ...(scheme === "hmac" ? { ...form, prefix: "" } : form) },
  };
}

const proving = webhookCases().filter(
  ({ request, fixture }) => request.method === "POST" && (fixture?.["secret"] ?? fixture?.["jwks"]) !== undefined,
);

describe("a recorded notification with its proof", () => {
  it.each(proving)("$file: $because", async (one) => {
    const { request, fixture, accepted } = one;
    const now = parseInstant(String(fixture?.["now"]));
    const query = Object.fromEntries([...new URL(request.path_hint, "http://localhost").searchParams].reverse());

    const receiver = receiverWith(settingsOf(one), now);
    const received = await receiver.receive(requestOf(request["body"], request.headers, request.method, query));

    expect(accepted).toContainEqual(summaryOf(received));
  });

  it("is one of dozens", () => {
    expect(proving.length).toBeGreaterThanOrEqual(80);
  });
});
