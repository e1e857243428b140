import { answersTo } from "./answers.ts";
import { answerWorkloadLine } from "./workload.ts";

/** Parses objects, one on each line. */
export async function parseLines(...lines: readonly (object | string)[]) {
  return answersTo(answerWorkloadLine, ...lines);
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
