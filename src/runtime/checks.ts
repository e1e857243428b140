import { randomUUID } from "node:crypto";
import { jsonText } from "#channels/json-text";
import { keysOf, notKeys, signatureHeaders } from "#channels/standard-webhooks";
import type { Configuration } from "#contracts/config/configuration";
import { checkSecret, type ConfiguredSecret, secretOf } from "#contracts/config/secret-places";
import { none, questionJson, readReply } from "#contracts/messages/check";
import type { CheckReply } from "#domain/checks/answer";
import type { EpochMs } from "#domain/shared/time";
import type { Checks } from "#ports/checks";
import type { Post } from "#ports/post";
import type { SecretRead } from "#ports/secrets";

type CheckConfiguration = Configuration["checks"][number];

/** What the checks of a process are asked with. */
export interface CheckWorld {
  readonly post: Post;
  readonly readSecret: (secret: ConfiguredSecret) => Promise<SecretRead>;
  readonly installation: () => Promise<string>;
}

/** The checks of a process without an entry. */
export const noChecks: Checks = { ask: (check) => Promise.resolve(unknown(check)) };

/** Returns the checks of a configuration. Nothing is read before a check is asked. */
export function checksOfProcess({ checks }: Pick<Configuration, "checks">, world: CheckWorld): Checks {
  const made = new Map(checks.map((entry) => [entry.name, entry]));
  return {
    async ask(check, question) {
      const entry = made.get(check);
      if (entry === undefined) return unknown(check);
      const body = jsonText(questionJson(check, await world.installation(), question));
      const signed = await signedBy(entry, body, question.at, world);
      if ("problem" in signed) return none(signed.problem);
      const { address: url, allowNetworks, timeout: timeoutMs } = entry;
      const headers = { "content-type": "application/json", accept: "application/json", "user-agent": "lookout" };
      const answer = await world.post({
        url,
        headers: { ...headers, ...signed.headers },
        body,
        allowNetworks,
        timeoutMs,
      });
      return answer.kind === "answered" ? readReply(answer) : none(answer.why);
    },
  };
}

function unknown(check: string): CheckReply {
  return none(`lookout.yaml has no check ${check}`);
}

type Signed = { readonly headers: Readonly<Record<string, string>> } | { readonly problem: string };

/** Returns the headers of the signature, or none for a check without a secret. */
async function signedBy(
  entry: CheckConfiguration,
  body: string,
  at: EpochMs,
  { readSecret }: CheckWorld,
): Promise<Signed> {
  const secret = secretOf(checkSecret, entry);
  if (secret.ref === undefined) return { headers: {} };
  const read = await readOrSay(secret, readSecret);
  if (read.kind === "missing") return { problem: `the key of the check can't be read: ${read.why}` };
  const keys = keysOf(read.value);
  if (keys === undefined) return { problem: notKeys };
  return { headers: signatureHeaders(keys, `check_${randomUUID()}`, body, at) };
}

async function readOrSay(secret: ConfiguredSecret, readSecret: CheckWorld["readSecret"]): Promise<SecretRead> {
  try {
    return await readSecret(secret);
  } catch {
    // The message of the error may name the place in AWS.
    return { kind: "missing", why: "AWS gave no answer" };
  }
}
