import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";

/** The address and the duration of the calls. */
export interface CallOrder {
  readonly url: string;
  readonly token: string;
  readonly seconds: number;
}

/** The measurements of a user of `/v1`. */
export interface CallReport {
  /** The times of the answers of `/v1/workloads`, in milliseconds. */
  readonly apiMs: readonly number[];
  /**
   * The delay of each wake-up of this process, in milliseconds. It measures the machine, not
   * Lookout.
   */
  readonly lateMs: readonly number[];
}

const everyMs = 100;
/** More connections than requests, so that no request waits for another in this process. */
const connections = 256;

/** Measures responses of `/v1` in a separate process, because the senders are too busy. */
async function call({ url, token, seconds }: CallOrder): Promise<CallReport> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const apiMs: number[] = [];
  const lateMs: number[] = [];
  const ask = async (): Promise<void> => {
    const begun = performance.now();
    const headers = { authorization: `Bearer ${token}` };
    try {
      const response = await pool.request({ method: "GET", path: "/v1/workloads?limit=10", headers });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`/v1/workloads answered ${response.statusCode}`);
    } catch (error) {
      process.stderr.write(`a call failed: ${String(error)}\n`);
    }
    // A failed call counts with its time.
    apiMs.push(performance.now() - begun);
  };
  const begun = performance.now();
  const open: Promise<void>[] = [];
  for (let due = 0; due < seconds * 1_000; due += everyMs) {
    await pause(Math.max(0, begun + due - performance.now()));
    lateMs.push(performance.now() - begun - due);
    open.push(ask());
  }
  await Promise.all(open);
  await pool.close();
  return { apiMs, lateMs };
}

process.on("message", (order: CallOrder | "stop") => {
  if (order === "stop") process.disconnect();
  else void call(order).then((report) => process.send?.(report));
});
process.send?.("ready");
