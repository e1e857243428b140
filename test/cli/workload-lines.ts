import { lookout } from "./world.ts";

/** Parses objects by the batch, one on each line. */
export async function parseBatch(...lines: readonly (object | string)[]) {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  const piped = async function* () {
    yield text;
  };
  const { stdout, exitCode } = await lookout(["workload", "parse", "--batch"], {}, { stdin: piped });
  const answers = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { answers, exitCode };
}

/** A pod template with a container. */
export const template = { spec: { containers: [{ name: "api", image: "shop/api:1.4.2" }] } };
/** A Deployment with annotations. */
export const deployment = (annotations: Record<string, unknown>, spec: object = { template }) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "api", namespace: "shop", annotations },
  spec,
});
/** The annotation that asks for updates. */
export const enabled = { "lookout.dev/enabled": "true" };
