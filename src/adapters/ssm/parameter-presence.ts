import { DescribeParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { refusalOr } from "../shared/aws-errors.ts";
import { type CallerOptions, callerPatience } from "../shared/aws.ts";
import type { Presence } from "../shared/presence.ts";

/** Looks whether there is a parameter of SSM, without reading it. A name may be an ARN. */
export async function findParameter(name: string, options: CallerOptions): Promise<Presence> {
  const client = new SSMClient({ ...callerPatience, ...options });
  // The part behind `:parameter` is the name, its slash included.
  const plain = name.startsWith("arn:") ? name.slice(name.indexOf(":parameter") + ":parameter".length) : name;
  return refusalOr(async (): Promise<Presence> => {
    const filter = { Key: "Name", Option: "Equals", Values: [plain] };
    const { Parameters: found = [] } = await client.send(new DescribeParametersCommand({ ParameterFilters: [filter] }));
    return found.length > 0 ? { kind: "there" } : { kind: "missing" };
  }).finally(() => client.destroy());
}
