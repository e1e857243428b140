/**
 * A local process with one channel of facts. Opens a state file, publishes a number of facts, and says
 * so. Then it says how many messages are stored, until someone kills it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openStateFile } from "#adapters/sqlite/state-file";
import { durationMs, epochMs } from "#domain/shared/time";
import type { Answer } from "#ports/channels";
import { statePorts } from "#runtime/local/state";
import { audit } from "#test/app/notify/receivers";
import { aFact, shellWith } from "#test/runtime/local/channel-shell";

const [path = "", address = "", facts = "0"] = process.argv.slice(2);

const opened = openStateFile(path, "abc123");
if (opened.kind === "refused") throw new Error(opened.why);

async function post(id: string): Promise<Answer> {
  const answer = await fetch(address, { method: "POST", body: id, signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  if (answer?.ok === true) return { kind: "told" };
  const pause = Number(answer?.headers.get("retry-after") ?? 0);
  return { kind: "later", why: String(answer?.status), ...(pause > 0 ? { after: durationMs(pause * 1_000) } : {}) };
}

const { channels } = audit("audit", (_tell, fact) => post(fact.id));
const state = statePorts(opened.database);
const shell = shellWith(channels, state);
await shell.start();
await shell.ports.bus.publish(Array.from({ length: Number(facts) }, (_, index) => aFact(index, epochMs(Date.now()))));
console.log("published");
for (;;) {
  await sleep(500);
  const left = await state.messages.list();
  console.log(left.length === 0 ? "nothing is stored" : `${left.length} messages are stored`);
}
