import * as z from "zod";
import { address, allowNetworks } from "#channels/keys";
import { checkTimes } from "#domain/checks/rules";
import { seconds } from "#domain/shared/time";
import { placeProblems } from "./channel-problems.ts";
import { durationWithin, kubernetesName, namespacePattern, unique } from "./fields.ts";
import { secretFields } from "./secret-fields.ts";
import { checkSecret } from "./secret-places.ts";

const key = "the key of the signatures (whsec_…), or the new and the old key with a space between";

const Check = z
  .strictObject(
    {
      name: kubernetesName.describe("The name of the check in messages and in lookout.dev/checks."),
      address: address("The address that is asked."),
      ...secretFields(checkSecret, {
        variable: `The variable with ${key}. Without a secret, questions are not signed.`,
        file: `The file with ${key}, relative to lookout.yaml.`,
        parameter: `The SSM parameter with ${key}.`,
        secret: `The secret in Secrets Manager with ${key}.`,
      }),
      when: z
        .enum(checkTimes, "release or bake")
        .prefault("release")
        .describe(
          "release: an update waits until the check allows it. bake: the check judges the new pods, and an update that it refuses is rolled back.",
        ),
      timeout: durationWithin(seconds(1), seconds(25), "10s")
        .prefault("10s")
        .describe("The longest time for an answer, from 1s to 25s."),
      namespaces: z
        .array(namespacePattern, "a list of namespaces")
        .max(100, "at most 100 namespaces")
        .readonly()
        .prefault([])
        .describe(
          'The namespaces with this check: NAMESPACE or CLUSTER/NAMESPACE, such as shop-*, or "*". Other workloads name the check in lookout.dev/checks.',
        ),
      allowNetworks: allowNetworks.describe(
        "The networks without public addresses that the check may be in, such as 10.0.0.0/8. Default: none.",
      ),
    },
    "a check with a name and an address",
  )
  .superRefine((given, context) => {
    for (const { path, message } of placeProblems(given))
      context.addIssue({ code: "custom", path: [...path], message });
  })
  .readonly();

/** The most checks. An update waits for all checks of its workload. */
const mostChecks = 20;

/** The schema of `checks`. Names are unique. */
export const Checks = unique(Check, "name", "a list of checks").refine(
  (checks) => checks.length <= mostChecks,
  `expected at most ${mostChecks} checks`,
);
