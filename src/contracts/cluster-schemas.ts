import * as z from "zod";
import { Eks } from "./configuration-aws.ts";
import { kubernetesName, Namespaces } from "./configuration-fields.ts";

const instant = z.iso.datetime();

export const ClusterRequestSchema = z
  .strictObject({
    name: kubernetesName,
    eks: Eks,
    namespaces: Namespaces.exactOptional(),
    by: z.string().min(1).max(200),
  })
  .readonly()
  .describe("Registers a cluster of EKS, as an entry of lookout.yaml describes one.");

export const ClusterCheckSchema = z
  .object({
    at: instant,
    cluster: z.string(),
    identity: z
      .string()
      .exactOptional()
      .describe("The uid of its namespace kube-system; absent: it could not be asked."),
    missing: z
      .array(z.string())
      .readonly()
      .describe("Rights that updates take and that it does not give: `patch deployments`."),
    problem: z.string().exactOptional().describe("Why it could not be asked."),
    remedy: z
      .string()
      .exactOptional()
      .describe("What a person can do, where something is missing or it could not be asked."),
  })
  .readonly()
  .describe("Whether a cluster lets Lookout in, and gives it the rights that it needs.");

export const ClusterSyncSchema = z
  .object({ at: instant, cluster: z.string() })
  .readonly()
  .describe("A look at a cluster that was asked for and begins now.");
