import { httpPost } from "#adapters/http-post/post";
import { parseConfiguration } from "#contracts/config/configuration";
import type { Checks } from "#ports/checks";
import { checksOfProcess } from "#runtime/checks";
import { standIn, type StandIn } from "#test/channels/stand-ins/stand-in";
import { world, type World } from "../world.ts";

/** The key of the check, in its documented form. */
export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** An entry of `checks`, without its address. */
export type CheckEntry = Readonly<Record<string, unknown>>;

/** A world with checks that are really asked, by HTTP on loopback. */
export interface CheckedWorld extends AsyncDisposable {
  readonly lookout: World;
  readonly server: StandIn;
  /** The questions that arrived, as JSON. */
  readonly questions: () => readonly Question[];
  /** Answers every question from now on. */
  readonly answer: (answer: unknown) => void;
}

export interface Question {
  readonly check: string;
  readonly when: string;
  readonly workload: { readonly name: string };
  readonly changes: readonly { readonly tag: string }[];
}

/** Opens a world with `shop/api:1.0.0`, whose checks answer `{"allow": true}`. */
export async function checkedWorld(
  entries: readonly CheckEntry[] = [{ name: "scan", namespaces: ["shop"], secretEnv: "KEY" }],
  wrap: (checks: Checks) => Checks = (checks) => checks,
): Promise<CheckedWorld> {
  let answer: unknown = { allow: true };
  const server = await standIn({}, () => ({ reply: { status: 200, body: JSON.stringify(answer) } }));
  const parsed = parseConfiguration({
    checks: entries.map((entry) => ({ address: `${server.url}/check`, allowNetworks: ["127.0.0.0/8"], ...entry })),
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem));
  const checks = checksOfProcess(parsed.value, {
    post: httpPost({ isServerless: false }),
    readSecret: () => Promise.resolve({ kind: "secret", value: secret }),
    installation: () => Promise.resolve("abc123"),
  });
  const checked = { checkRules: parsed.value.checks, checks: wrap(checks) };
  const none = undefined;
  const lookout = world({}, none, none, none, none, none, none, none, none, checked);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  return {
    lookout,
    server,
    questions: () => server.received.map(({ body }) => JSON.parse(body) as Question),
    answer: (given) => void (answer = given),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
