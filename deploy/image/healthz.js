// The health check of the container image. Ends with 0 if the process of the state folder answers.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { url } = JSON.parse(readFileSync(join(process.env.LOOKOUT_DATA, "server.json"), "utf8"));
const { status } = await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(4_000) });
if (status !== 200) throw new Error(`/healthz answered ${status}`);
