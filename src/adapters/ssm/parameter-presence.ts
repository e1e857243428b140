import { DescribeParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";
import { type Presence, thereWithKey } from "../shared/presence.ts";

/** Returns whether a parameter of SSM exists, without reading its value. A name may be an ARN. */
export async function findParameter(name: string, options: UserOptions): Promise<Presence> {
  const client = new SSMClient({ ...userClientOptions, ...options });
  // The name follows `:parameter`, with its slash.
  const plain = name.startsWith("arn:") ? name.slice(name.indexOf(":parameter") + ":parameter".length) : name;
  return callOnce(client, async (): Promise<Presence> => {
    const filter = { Key: "Name", Option: "Equals", Values: [plain] };
    const { Parameters: found = [] } = await client.send(new DescribeParametersCommand({ ParameterFilters: [filter] }));
    return found[0] === undefined ? { kind: "missing" } : thereWithKey(found[0].KeyId, "alias/aws/ssm");
  });
}
