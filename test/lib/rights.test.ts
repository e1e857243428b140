import { describe, expect, it } from "vitest";
import { reachesClusters } from "#contracts/config/networks";
import { functionName, type FunctionName, queueOf, type Route } from "#contracts/routes";
import type { CommandName } from "#domain/update/commands";
import { allRoutes, deploy, type Properties, sendingAhead } from "./deployed.ts";

const account = "210987654321";
const role = `arn:aws:iam::${account}:role/lookout`;
const readRole = `arn:aws:iam::${account}:role/read`;
const aChannel = { kind: "webhook", address: "https://hooks.example.com/lookout" };
const stack = deploy({
  clusters: [
    {
      name: "prod",
      eks: { name: "prod", roleArn: role },
      network: { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d"] },
    },
  ],
  receivers: [
    { name: "registry", kind: "distribution", secretEnv: "REGISTRY" },
    { name: "builds", kind: "generic", secretParameter: "/teams/builds" },
    { name: "others", kind: "generic", secretId: "lookout/others" },
  ],
  registries: [
    { host: "registry.example.com:5000", username: "lookout", passwordFile: "secrets/registry" },
    {
      host: "quay.io",
      username: "lookout",
      passwordId: "arn:aws:secretsmanager:eu-central-1:210987654321:secret:quay-AbCdEf",
    },
    { host: "ghcr.io" },
    { host: `${account}.dkr.ecr.eu-central-1.amazonaws.com`, roleArn: readRole },
  ],
  channels: [
    { ...aChannel, name: "audit", secretParameter: "/teams/audit" },
    { ...aChannel, name: "chat", secretEnv: "CHAT" },
    { ...aChannel, name: "pager", secretId: "lookout/pager" },
  ],
  accounts: [account],
  tiers: [{ name: "dev" }, { name: "prod" }],
});

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]);

/** What is denied is synced where it is said why: {@link ./networks.test.ts}. */
const allowedBy = ({ PolicyDocument }: Properties): readonly Statement[] =>
  (PolicyDocument as { Statement: readonly Statement[] }).Statement.filter(({ Effect }) => Effect === "Allow");

/**
 * Every `action on resource` that the policies of a role allow, with resources as short as they can
 * be told apart.
 */
function rightsOf(roleId: string): readonly string[] {
  const policies = [...stack.resources("AWS::IAM::Policy").values()].filter(({ Roles }) =>
    (Roles as readonly { Ref: string }[]).some(({ Ref }) => Ref === roleId),
  );
  const statements = policies.flatMap(allowedBy);
  const rights = statements.flatMap(({ Action, Resource }) =>
    asList(Action).flatMap((action) => asList(Resource).map((resource) => `${String(action)} on ${short(resource)}`)),
  );
  return [...new Set(rights)].toSorted();
}

const roleIdOf = (name: FunctionName): string => stack.text(stack.function(name)["Role"]).replaceAll(/[<>]|\.Arn/g, "");

/** `<LookoutQueuesWake6966A602.Arn>` is `QueuesWake`. */
function short(resource: unknown): string {
  return stack
    .text(resource)
    .replaceAll(/<Lookout(\w+?)[0-9A-F]{8}(?:\.(?:Arn|StreamArn))?>/g, "$1")
    .replace("arn:<AWS::Partition>:", "")
    .replaceAll("<AWS::Region>:<AWS::AccountId>", "here")
    .replaceAll("<AWS::AccountId>", "here");
}

const own = (name: FunctionName, part: string): string => `${name.replaceAll(/[/-]/g, "")}${part}`;

/** What every function may do. */
const always = (name: FunctionName): readonly string[] => [
  ...["CreateLogStream", "PutLogEvents"].map((action) => `logs:${action} on ${own(name, "Log")}`),
];

const onTable = (...actions: readonly string[]): readonly string[] =>
  actions.map((action) => `dynamodb:${action} on Table`);
const reading = [...onTable("BatchGetItem", "GetItem", "Query"), "dynamodb:Query on Table/index/due"];

const ofQueue = ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "GetQueueUrl", "ReceiveMessage"];
const ofNetwork = [
  "AssignPrivateIpAddresses",
  "CreateNetworkInterface",
  "DeleteNetworkInterface",
  "DescribeNetworkInterfaces",
  "DescribeSubnets",
  "UnassignPrivateIpAddresses",
];

/** What a route calls for, kind by kind. */
const calledFor: Readonly<Record<Route["reaches"][number], readonly string[]>> = {
  table: [...reading, ...onTable("BatchWriteItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem")],
  "table-read": reading,
  ledger: onTable("BatchGetItem", "DeleteItem", "GetItem", "PutItem"),
  tiers: onTable("Query"),
  told: onTable("GetItem", "PutItem", "Query"),
  channels: [
    "ssm:GetParameter on ssm:here:parameter/Test/channels/chat",
    "ssm:GetParameter on ssm:here:parameter/teams/audit",
    "secretsmanager:GetSecretValue on secretsmanager:here:secret:lookout/pager-??????",
  ],
  checks: ["ssm:GetParameter on ssm:here:parameter/Test/checks/scan"],
  clusters: ["sts:AssumeRole on AccessRole", ...ofNetwork.map((action) => `ec2:${action} on *`)],
  registries: [
    ...["BatchGetImage", "ListImages"].flatMap((action) => [
      `ecr:${action} on ecr:*:here:repository/*`,
      `ecr:${action} on ecr:*:${account}:repository/*`,
    ]),
    "sts:AssumeRole on RegistryRole",
    "ssm:GetParameter on ssm:here:parameter/Test/registries/registry.example.com_5000",
    ...["quay-AbCdEf", "quay-AbCdEf-??????"].map(
      (secret) => `secretsmanager:GetSecretValue on arn:aws:secretsmanager:eu-central-1:210987654321:secret:${secret}`,
    ),
  ],
  receivers: [
    "ssm:GetParameter on ssm:here:parameter/Test/receivers/registry",
    "ssm:GetParameter on ssm:here:parameter/teams/builds",
    "secretsmanager:GetSecretValue on secretsmanager:here:secret:lookout/others-??????",
  ],
};

/** The messages with a queue: commands, the event that starts work, and dead letters. */
type Queued = CommandName | "ImagePushed" | "DeadLetter";

/** The queues of what has one: what is done in clusters has one in their network as well. */
function queuesOf(name: Queued): readonly string[] {
  const isOfClusters = name !== "ImagePushed" && name !== "DeadLetter" && reachesClusters(name);
  return isOfClusters ? [`Queues${name}`, `Queues${name}vpc0a1b2c3d`] : [`Queues${name}`];
}

/** What AWS needs to keep an event or a write. */
const toKept = ["GetQueueAttributes", "GetQueueUrl", "SendMessage"].map((action) => `sqs:${action} on Kept`);

function startedBy({ trigger }: Route): readonly string[] {
  const reading = (of: Queued) => queuesOf(of).flatMap((queue) => ofQueue.map((action) => `sqs:${action} on ${queue}`));
  switch (trigger.kind) {
    case "command":
      return reading(trigger.command);
    case "event":
      return reading(trigger.event);
    case "dead-letter":
      return reading("DeadLetter");
    case "changes":
      return [
        ...["DescribeStream", "GetRecords", "GetShardIterator"].map((action) => `dynamodb:${action} on Table`),
        "dynamodb:ListStreams on *",
        ...toKept,
      ];
    case "schedule":
      return toKept;
    case "http":
      return [];
  }
}

function sending({ trigger, emits, ...route }: Route): readonly string[] {
  const commands = emits.filter((name) => name !== "ImagePushed" && name !== "facts");
  const isQueued = trigger.kind === "command" || trigger.kind === "event" || trigger.kind === "dead-letter";
  const queues: readonly Queued[] = [
    ...commands.map(queueOf),
    ...(trigger.kind === "command" ? [trigger.command] : []),
    ...(isQueued ? (["DeadLetter"] as const) : []),
  ];
  return [
    ...queues.flatMap(queuesOf).map((queue) => `sqs:SendMessage on ${queue}`),
    ...(isQueued ? ["sqs:SendMessage on Kept"] : []),
    ...(sendingAhead.includes(functionName(route))
      ? [
          "scheduler:CreateSchedule on scheduler:here:schedule/Test-Lookout-Timers-Group-1B943F8D/*",
          "iam:PassRole on TimersSender",
        ]
      : []),
    ...(emits.length > commands.length ? ["events:PutEvents on Bus"] : []),
  ];
}

describe("a function", () => {
  it.each(allRoutes.map((route) => ({ title: functionName(route), route })))(
    "$title has exactly the rights of its route",
    ({ title, route }) => {
      const wanted = [
        ...always(title),
        ...startedBy(route),
        ...sending(route),
        ...route.reaches.flatMap((reach) => calledFor[reach]),
      ];

      expect(rightsOf(roleIdOf(title))).toEqual([...new Set(wanted)].toSorted());
    },
  );

  it("that anybody can call has no right to the table", () => {
    const rights = rightsOf(roleIdOf("detect/registry-webhook"));

    expect(rights.filter((right) => right.startsWith("dynamodb:"))).toEqual([]);
  });
});

const everyStatement = [...stack.resources("AWS::IAM::Policy").values()].flatMap(allowedBy);

/** Every right that names no single resource, and why it can't. */
const withoutOneResource: Readonly<Record<string, string>> = {
  "dynamodb:ListStreams on *": "AWS lists the streams of an account",
  ...Object.fromEntries(
    ofNetwork.map((action) => [`ec2:${action} on *`, "Lambda names no interface before it makes one"]),
  ),
  "eks:DescribeCluster on eks:*:here:cluster/*": "users may register clusters of any region at run time",
  ...Object.fromEntries(
    calledFor.registries.filter((right) => right.endsWith("repository/*")).map((right) => [right, "images name them"]),
  ),
  "scheduler:CreateSchedule on scheduler:here:schedule/Test-Lookout-Timers-Group-1B943F8D/*":
    "a schedule is named after its message, in a group of the stack's own",
  [`sts:AssumeRole on iam::${account}:role/lookout/*`]: "users may register clusters of member accounts at run time",
};

describe("a stack with a rule about nodes", () => {
  it("may read the configurations of images in ECR, unlike a stack without such a rule", () => {
    const clusters = [{ name: "prod", eks: { name: "prod" }, nodePlatforms: "prefer" }];
    const actionsOf = ({ resources }: typeof stack) =>
      [...resources("AWS::IAM::Policy").values()].flatMap(allowedBy).flatMap(({ Action }) => asList(Action));

    expect(actionsOf(deploy({ clusters }))).toContain("ecr:GetDownloadUrlForLayer");
    expect(actionsOf(stack)).not.toContain("ecr:GetDownloadUrlForLayer");
  });
});

describe("the stack's policies", () => {
  it("allow no action by a pattern, and use no policy of AWS", () => {
    expect(
      everyStatement.flatMap(({ Action }) => asList(Action)).filter((action) => String(action).includes("*")),
    ).toEqual([]);
    expect(
      [...stack.resources("AWS::IAM::Role").values()].filter(({ ManagedPolicyArns }) => ManagedPolicyArns),
    ).toEqual([]);
  });

  it("name a resource by a pattern only with a listed reason", () => {
    const rights = everyStatement.flatMap(({ Action, Resource }) =>
      asList(Action).flatMap((action) => asList(Resource).map((resource) => `${String(action)} on ${short(resource)}`)),
    );

    expect([...new Set(rights.filter((right) => right.includes("*")))].toSorted()).toEqual(
      Object.keys(withoutOneResource).toSorted(),
    );
  });
});

const roles = stack.resources("AWS::IAM::Role");
const roleNamed = (part: string): [string, Properties] => {
  const found = [...roles].find(([id]) => id.startsWith(`Lookout${part}`));
  if (found === undefined) throw new Error(`no role ${part}`);
  return found;
};
const trusted = (properties: Properties): readonly Properties[] =>
  (properties["AssumeRolePolicyDocument"] as { Statement: readonly Properties[] }).Statement;

const assumedBy = ([, properties]: [string, Properties]): readonly string[] =>
  trusted(properties)
    .flatMap(({ Principal }) => asList((Principal as { AWS: unknown }).AWS))
    .map((arn) => stack.text(arn))
    .toSorted();
const rolesReaching = (part: Route["reaches"][number]): readonly string[] =>
  allRoutes
    .filter(({ reaches }) => reaches.includes(part))
    .map((route) => `<${roleIdOf(functionName(route))}.Arn>`)
    .toSorted();

describe("the access role", () => {
  const access = roleNamed("AccessRole");

  it("may describe clusters, assume the roles of lookout.yaml and of its member accounts, and nothing else", () => {
    expect(rightsOf(access[0])).toEqual([
      "eks:DescribeCluster on eks:*:here:cluster/*",
      `sts:AssumeRole on ${role}`,
      `sts:AssumeRole on iam::${account}:role/lookout/*`,
    ]);
  });

  it("is assumed only by functions that reach clusters", () => {
    expect(assumedBy(access)).toEqual(rolesReaching("clusters"));
  });
});

describe("the registry role", () => {
  const registry = roleNamed("RegistryRole");

  it("may assume the roles of registries in lookout.yaml, and nothing else", () => {
    expect(rightsOf(registry[0])).toEqual([`sts:AssumeRole on ${readRole}`]);
  });

  it("is assumed only by functions that reach registries", () => {
    expect(assumedBy(registry)).toEqual(rolesReaching("registries"));
  });

  it("exists without a role in lookout.yaml, because that role names it", () => {
    const plain = deploy();
    const output = plain.template.toJSON()["Outputs"] as Readonly<Record<string, { readonly Value: unknown }>>;

    expect(plain.text(output["LookoutRegistryRoleArn"]?.Value)).toMatch(/^<LookoutRegistryRole\w+\.Arn>$/);
  });
});

describe("the roles of schedules", () => {
  it("are assumed by schedules of this stack's group alone", () => {
    const conditions = ["TimersSender", "TimersStarter"].map((name) => trusted(roleNamed(name)[1]));

    expect(conditions.flat().map(({ Principal, Condition }) => ({ Principal, Condition }))).toEqual(
      [1, 2].map(() => ({
        Principal: { Service: "scheduler.amazonaws.com" },
        Condition: {
          StringEquals: {
            "aws:SourceAccount": { Ref: "AWS::AccountId" },
            "aws:SourceArn": { "Fn::GetAtt": [expect.stringContaining("TimersGroup"), "Arn"] },
          },
        },
      })),
    );
  });

  it("send to queues of commands, or start the functions of schedules, and nothing else", () => {
    const scheduled = allRoutes.filter(({ trigger }) => trigger.kind === "schedule").map(functionName);
    const queued = allRoutes.flatMap(({ trigger }): readonly Queued[] =>
      trigger.kind === "command" ? [trigger.command] : trigger.kind === "event" ? [trigger.event] : [],
    );

    expect(rightsOf(roleNamed("TimersSender")[0])).toEqual(
      [...queued, "DeadLetter" as const]
        .flatMap(queuesOf)
        .map((queue) => `sqs:SendMessage on ${queue}`)
        .toSorted(),
    );
    expect(rightsOf(roleNamed("TimersStarter")[0])).toEqual(
      scheduled
        .map((name) => `lambda:InvokeFunction on ${own(name, "Function")}`)
        .concat("sqs:SendMessage on Kept")
        .toSorted(),
    );
  });
});
