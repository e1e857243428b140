import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CheckView } from "#contracts/api/doctor";
import type { StoredItemsView } from "#contracts/api/stored";
import { problemOf } from "#contracts/problem";
import { plus, seconds } from "#domain/shared/time";
import { kindForms } from "#stored/kinds";
import type { AwsEndpoint } from "#test/adapters/aws-endpoint";
import { awsAndApi, identityXml, onStack, type Reply, stackXml } from "#test/cli/aws";
import { lines, lookout, now, type Outcome } from "#test/cli/world";

const at = "2026-11-21T18:45:53.000Z";
const table: CheckView = { check: "state", verdict: "well", detail: "installation abc123, 3 workloads known" };
const away: CheckView = {
  check: "cluster prod",
  verdict: "wrong",
  detail: "connect ETIMEDOUT",
  remedy: "It is asked again by itself.",
};
const kinds = kindForms.map((one) => ({ ...one }));
const storedView = (more: Partial<StoredItemsView> = {}): StoredItemsView => ({
  at,
  version: "0.1.0",
  kinds,
  forms: [
    { kind: "record of a workload", form: 1, items: 1_230 },
    { kind: "freeze", form: 1, items: 4 },
  ],
  unreadable: [],
  unreadableItems: 0,
  ...more,
});
const well: CheckView = {
  check: "stored items",
  verdict: "well",
  detail: `Lookout reads all 1,234 items of ${kinds.length} kinds`,
};
const answers = (...checks: readonly CheckView[]) => ({
  "GET /v1/doctor": { body: { at, checks, clusters: [] } },
  "GET /v1/stored": { body: storedView() },
  "POST /v1/doctor/probes": { status: 202, body: { id: "e-1", sentAt: at } },
  "GET /v1/doctor/probes/e-1": { body: { id: "e-1", arrivedAt: "2026-11-21T18:45:53.412Z" } },
});

let aws: AwsEndpoint | undefined;
afterEach(async () => {
  await aws?.close();
  aws = undefined;
  vi.unstubAllEnvs();
});

describe("lookout doctor", () => {
  it("shows successful checks, and the time of a synthetic push", async () => {
    expect(await lookout(["doctor"], answers(table))).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "✓ state          installation abc123, 3 workloads known",
        `✓ stored items   ${well.detail}`,
        "✓ pushes         Lookout evaluated a synthetic push after 412 ms",
        "",
        "All checks passed.",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    });
  });

  it("ends with 1 after a failed check, and shows a remedy", async () => {
    const replies = {
      ...answers(table),
      "GET /v1/doctor": { body: { at, checks: [table], clusters: ["prod"] } },
      "GET /v1/doctor/clusters/prod": { body: away },
    };

    expect(await lookout(["doctor"], replies)).toMatchObject({
      exitCode: 1,
      stdout: lines(
        "✓ state          installation abc123, 3 workloads known",
        `✓ stored items   ${well.detail}`,
        "✗ cluster prod   connect ETIMEDOUT",
        "                 It is asked again by itself.",
        "✓ pushes         Lookout evaluated a synthetic push after 412 ms",
        "",
        "1 of 4 checks failed.",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    });
    expect((await lookout(["doctor", "--output", "name"], replies)).stdout).toBe("cluster prod\n");
  });

  it("names a cluster whose check failed, and continues", async () => {
    const replies = {
      ...answers(table),
      "GET /v1/doctor": { body: { at, checks: [table], clusters: ["prod", "stage"] } },
      "GET /v1/doctor/clusters/prod": { status: 503, body: problemOf("try-again", "not just now") },
      "GET /v1/doctor/clusters/stage": {
        body: { check: "cluster stage", verdict: "well", detail: "the cluster answers" },
      },
    };

    const { stdout, exitCode } = await lookout(["doctor", "--output", "json"], replies);

    expect(exitCode).toBe(1);
    expect(
      (JSON.parse(stdout) as { checks: readonly CheckView[] }).checks.map(({ check, verdict }) => [check, verdict]),
    ).toEqual([
      ["state", "well"],
      ["stored items", "well"],
      ["cluster prod", "wrong"],
      ["cluster stage", "well"],
      ["pushes", "well"],
    ]);
  });

  it("checks ten clusters at a time, and lists them in their order", async () => {
    const clusters = Array.from({ length: 25 }, (_, index) => `c${String(index).padStart(2, "0")}`);
    const answering = (name: string): CheckView => ({
      check: `cluster ${name}`,
      verdict: "well",
      detail: "the cluster answers",
    });
    const others = { ...answers(table), "GET /v1/doctor": { body: { at, checks: [table], clusters } } };
    let asking = 0;
    let most = 0;
    const { stdout } = await lookout(
      ["doctor", "--output", "json"],
      {},
      {
        fetch: async (url, { method = "GET" }) => {
          const { pathname } = new URL(url);
          const cluster = /^\/v1\/doctor\/clusters\/(.+)$/.exec(pathname)?.[1];
          if (cluster === undefined) return Response.json(others[`${method} ${pathname}` as keyof typeof others].body);
          most = Math.max(most, (asking += 1));
          await setImmediate();
          asking -= 1;
          return Response.json(answering(cluster));
        },
      },
    );

    expect(most).toBe(10);
    expect((JSON.parse(stdout) as { checks: readonly CheckView[] }).checks.slice(2, -1)).toEqual(
      clusters.map(answering),
    );
  });

  it("waits half a minute for the push, and then names the log to read", async () => {
    let passed = 0;
    const { stdout, exitCode } = await lookout(
      ["doctor", "--output", "json"],
      { ...answers(table), "GET /v1/doctor/probes/e-1": { body: { id: "e-1" } } },
      { now: () => plus(now, seconds(passed)), pause: async () => void (passed += 5) },
    );

    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: "lookout.dev/v1",
      kind: "Doctor",
      checks: [
        table,
        well,
        {
          check: "pushes",
          verdict: "wrong",
          detail: "Lookout did not evaluate a synthetic push within 30 s",
          remedy: "Check the log of evaluate/image-pushed and its queue.",
        },
      ],
    });
  });

  it("names each stored item that can't be read, over all pages, and what to do", async () => {
    const newer = {
      kind: "freeze",
      partition: "FREEZE",
      sortKey: "prod/shop",
      why: "has the form 2 of a newer Lookout: run that version",
      remedy: "Run the newer version of Lookout. The item is kept for that version.",
    };
    const damaged = {
      kind: "record of a workload",
      partition: "WORKLOAD#prod/shop/deployment/api",
      sortKey: "WORKLOAD",
      why: 'is damaged: its member "uid" is missing',
      remedy: "Restore the item from a backup, or delete it.",
    };
    const pages = {
      ...answers(table),
      "GET /v1/stored": { body: storedView({ unreadable: [newer], unreadableItems: 1, next: "FREEZE" }) },
      "GET /v1/stored?after=FREEZE": { body: storedView({ unreadable: [damaged], unreadableItems: 1 }) },
    };

    expect(await lookout(["doctor"], pages)).toMatchObject({
      exitCode: 1,
      stdout: lines(
        "✓ state                  installation abc123, 3 workloads known",
        "✗ stored items           2 of 2,468 items can't be read",
        "                         To restore or delete an item: docs/upgrade.md, unreadable-items",
        "✗ freeze                 FREEZE, prod/shop has the form 2 of a newer Lookout: run that version",
        "                         Run the newer version of Lookout. The item is kept for that version.",
        '✗ record of a workload   WORKLOAD#prod/shop/deployment/api, WORKLOAD is damaged: its member "uid" is missing',
        "                         Restore the item from a backup, or delete it.",
        "✓ pushes                 Lookout evaluated a synthetic push after 412 ms",
        "",
        "3 of 5 checks failed.",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    });
  });

  it("ends with 3 when Lookout can't be reached", async () => {
    const failed = new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) });

    expect(await lookout(["doctor"], { "GET /v1/doctor": failed })).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining("✗ api   Lookout can't be reached") as string,
    });
  });
});

describe("lookout doctor --before-deploy", () => {
  const row = (stdout: string, kind: string) => stdout.split("\n").find((line) => line.startsWith(kind));
  const before = (view: StoredItemsView, ...more: readonly string[]) =>
    lookout(["doctor", "--before-deploy", ...more], { "GET /v1/stored": { body: view } });
  const withRunning = (kind: string, forms: { readonly writes: number; readonly reads: number }) =>
    kinds.map((one) => (one.kind === kind ? { ...one, ...forms } : one));

  it("says that the new version reads all items, that a roll-back stays possible, and what comes next", async () => {
    const { stdout, exitCode } = await before(storedView({ version: "0.0.9" }));

    expect(exitCode).toBe(0);
    expect(stdout.split("\n")[0]).toMatch(/^KIND +STORED +RUNNING 0\.0\.9 +NEW 0\.1\.0 +RESULT$/);
    expect(row(stdout, "record of a workload")).toMatch(/ 1230 of form 1 +form 1 +form 1 +✓ reads all$/);
    expect(row(stdout, "vote")).toMatch(/ – +form 1 +form 1 +✓ reads all$/);
    expect(stdout.split("\n").slice(-6)).toEqual([
      "✓ The new version 0.1.0 reads all 1,234 items.",
      "✓ A roll-back stays possible: the running version 0.0.9 reads everything that the new version writes.",
      "",
      "Next:  lookout backup FILE, then lookout start (after you stopped the running version)",
      "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      "",
    ]);
  });

  it("names the kinds and forms that the new version can't read, and ends with 1", async () => {
    const view = storedView({
      kinds: withRunning("freeze", { writes: 2, reads: 3 }),
      forms: [
        { kind: "record of a workload", form: 1, items: 998 },
        { kind: "freeze", form: 1, items: 1 },
        { kind: "freeze", form: 2, items: 3 },
      ],
    });
    const { stdout, exitCode } = await before(view);

    expect(exitCode).toBe(1);
    expect(row(stdout, "freeze")).toMatch(/ 1 of form 1, 3 of form 2 +form 2, reads 3 +form 1 +✗ can't read form 2$/);
    expect(stdout).toContain("✗ The new version 0.1.0 can't read: freeze (form 2).\n");
    expect(stdout).toContain("\nDon't deploy this version.");
    expect((await before(view, "--output", "name")).stdout).toBe("freeze\n");
    const json = JSON.parse((await before(view, "--output", "json")).stdout) as { readonly kinds: readonly object[] };
    expect(json).toMatchObject({ runningVersion: "0.1.0", items: 1_002, readsAll: false, allowsRollback: true });
    expect(json.kinds).toContainEqual({
      kind: "freeze",
      stored: [
        { form: 1, items: 1 },
        { form: 2, items: 3 },
      ],
      running: { writes: 2, reads: 3 },
      new: { writes: 1, reads: 1 },
      unreadable: [2],
      allowsRollback: true,
    });
  });

  it("names the kinds that the running version could not read after a roll-back, also unknown kinds", async () => {
    const view = storedView({
      kinds: kinds.filter(({ kind }) => kind !== "vote"),
      forms: [{ kind: "freeze", form: 1, items: 1 }],
      unreadableItems: 2,
    });
    const { stdout, exitCode } = await before(view);

    expect(exitCode).toBe(0);
    expect(row(stdout, "vote")).toMatch(/ – +unknown kind +form 1 +! no roll-back$/);
    expect(stdout).toContain(
      "! A roll-back is not possible without a backup: the running version 0.1.0 can't read what 0.1.0 writes: vote (form 1).\n" +
        "! The running version 0.1.0 can't read 2 items: look at lookout doctor\n",
    );
  });

  it("refuses stored items of a kind that the new version does not know", async () => {
    const view = storedView({
      kinds: [...kinds, { kind: "mirror", writes: 1, reads: 1 }],
      forms: [{ kind: "mirror", form: 1, items: 5 }],
    });
    const { stdout, exitCode } = await before(view);

    expect(exitCode).toBe(1);
    expect(row(stdout, "mirror")).toMatch(/ 5 of form 1 +form 1 +unknown kind +✗ can't read form 1$/);
  });

  it("works for a stack, and names the command that deploys it", async () => {
    const { stdout, exitCode } = await onStack(["doctor", "--before-deploy", "--stack", "lookout"], {
      "GET /v1/stored": { body: storedView() },
    });

    expect(exitCode).toBe(0);
    expect(stdout).toContain("Next:  lookout backup FILE, then npm run deploy\n");
  });
});

describe("lookout doctor --stack", () => {
  const own: Readonly<Record<string, Reply>> = {
    GetCallerIdentity: { body: identityXml("111122223333") },
    GetParameter: { body: { Parameter: { Name: "x", Type: "String", Value: "30" } } },
    GetQueueAttributes: { body: { Attributes: { ApproximateNumberOfMessages: "0" } } },
    DescribeTable: {
      body: {
        Table: {
          StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
          GlobalSecondaryIndexes: [{ IndexName: "due" }],
          DeletionProtectionEnabled: true,
        },
      },
    },
    DescribeTimeToLive: {
      body: { TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: "expiresAt" } },
    },
    DescribeContinuousBackups: {
      body: {
        ContinuousBackupsDescription: {
          ContinuousBackupsStatus: "ENABLED",
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "ENABLED" },
        },
      },
    },
  };

  const keptUrl = "https://sqs.eu-central-1.amazonaws.com/111122223333/LookoutKept1A";

  async function onStack(
    replies: Readonly<Record<string, Reply>>,
    status = "UPDATE_COMPLETE",
    outputs: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    const all: Readonly<Record<string, Reply>> = { ...answers(table), ...own, ...replies };
    const fake = await awsAndApi((what) =>
      what === "DescribeStacks"
        ? {
            body: stackXml(
              { LookoutApiUrl: fake.url, LookoutKeptQueueUrl: keptUrl, LookoutTableName: "lookout-table", ...outputs },
              status,
            ),
          }
        : all[what],
    );
    aws = fake;
    return lookout(
      ["doctor", "--stack", "lookout"],
      {},
      {
        environment: { AWS_REGION: "eu-central-1" },
        fetch: (url, init) => fetch(url, init),
      },
    );
  }

  it("also checks the caller's access to the stack", async () => {
    const { stdout, exitCode } = await onStack({});

    expect(exitCode).toBe(0);
    expect(stdout.split("\n").slice(0, 8)).toEqual([
      "✓ identity        you are arn:aws:iam::111122223333:user/ana",
      "✓ stack           lookout in eu-central-1 is UPDATE_COMPLETE",
      "✓ bootstrap       the CDK bootstrap stack has version 30",
      "✓ table           the table has its stream, index, expiry, recovery and protection",
      "✓ kept messages   Lookout keeps no message for you",
      "✓ state           installation abc123, 3 workloads known",
      `✓ stored items    ${well.detail}`,
      "✓ pushes          Lookout evaluated a synthetic push after 412 ms",
    ]);
    expect(aws?.asked.filter(({ operation }) => operation === "GetQueueAttributes").map(({ input }) => input)).toEqual([
      { QueueUrl: keptUrl, AttributeNames: ["ApproximateNumberOfMessages"] },
    ]);
  });

  it.each([
    {
      because: "the caller is of another account",
      replies: { GetCallerIdentity: { body: identityXml("444455556666") } },
      exitCode: 0,
      says: "! identity        you are arn:aws:iam::444455556666:user/ana, and the stack is in account 111122223333",
    },
    {
      because: "the region was never bootstrapped",
      replies: { GetParameter: { status: 400, body: { __type: "ParameterNotFound", message: "no" } } },
      exitCode: 0,
      says: lines(
        "! bootstrap       eu-central-1 has no CDK bootstrap stack with the default name",
        "                  Before the next deploy:  npx cdk bootstrap aws://111122223333/eu-central-1",
      ),
    },
    {
      because: "the table was restored from a backup, without its settings",
      replies: {
        DescribeTable: { body: { Table: { GlobalSecondaryIndexes: [{ IndexName: "due" }] } } },
        DescribeTimeToLive: { body: { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } } },
        DescribeContinuousBackups: { body: { ContinuousBackupsDescription: { ContinuousBackupsStatus: "ENABLED" } } },
      },
      exitCode: 1,
      says: lines(
        "✗ table           the table lookout-table has no stream of new items, so no fact is published; no point-in-time recovery; no expiry, so it grows; no protection against deletion",
        "                  The commands are in docs/restore.md.",
      ),
    },
    {
      because: "the table only keeps its old items in the stream, and is not protected",
      replies: {
        DescribeTable: {
          body: { Table: { StreamSpecification: { StreamEnabled: true, StreamViewType: "OLD_IMAGE" } } },
        },
      },
      exitCode: 1,
      says: "✗ table           the table lookout-table has no stream of new items, so no fact is published; no index of due updates, so no lost update is found; no protection against deletion",
    },
    {
      because: "the caller may not describe the table",
      replies: { DescribeTable: { status: 400, body: { __type: "AccessDeniedException", message: "not you" } } },
      exitCode: 0,
      says: lines(
        "! table           the settings of the table can't be read: not you",
        "                  You need dynamodb:DescribeTable, DescribeTimeToLive and DescribeContinuousBackups on the table.",
      ),
    },
    {
      because: "the caller may not count kept messages",
      replies: { GetQueueAttributes: { status: 403, body: { __type: "AccessDenied", message: "not you" } } },
      exitCode: 0,
      says: "! kept messages   the queue of kept messages can't be read: not you",
    },
    {
      because: "IAM keeps the caller from the API",
      replies: { "GET /v1/doctor": { status: 403, body: { message: "Forbidden" } } },
      exitCode: 4,
      says: "✗ api             AWS does not let you use the API of the stack lookout: Forbidden",
    },
  ])("reports that $because", async ({ replies, exitCode, says }) => {
    const outcome = await onStack(replies);

    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout).toContain(says);
  });

  it("counts kept messages, and says how to read them", async () => {
    const { stdout, exitCode } = await onStack({
      GetQueueAttributes: { body: { Attributes: { ApproximateNumberOfMessages: "3" } } },
    });

    expect(exitCode).toBe(1);
    expect(stdout).toContain("✗ kept messages   Lookout does not retry 3 messages");
    expect(stdout).toContain("aws sqs receive-message --region eu-central-1");
  });

  const parameter = "/lookout/receivers/registry";
  const receivers = JSON.stringify([
    { receiver: "registry", place: { parameter } },
    { receiver: "builds", place: { secret: "teams/builds" } },
  ]);

  it("checks that the secret of each receiver exists, without reading it", async () => {
    const there = {
      DescribeParameters: { body: { Parameters: [{ Name: "/lookout/receivers/registry" }] } },
      DescribeSecret: { body: { Name: "teams/builds" } },
    };
    const { stdout, exitCode } = await onStack(there, undefined, { LookoutReceiverSecrets: receivers });

    expect(exitCode).toBe(0);
    expect(stdout).toContain("✓ receiver registry   the parameter /lookout/receivers/registry exists");
    expect(stdout).toContain("✓ receiver builds     the secret teams/builds exists");
    const asked = aws?.asked.filter(({ operation }) => operation in there) ?? [];
    expect(Object.fromEntries(asked.map(({ operation, input }) => [operation, input]))).toEqual({
      DescribeParameters: { ParameterFilters: [{ Key: "Name", Option: "Equals", Values: [parameter] }] },
      DescribeSecret: { SecretId: "teams/builds" },
    });
    expect(asked).toHaveLength(2);
  });

  it("shows how to store a missing secret, and which right the check needs", async () => {
    const replies = {
      DescribeParameters: { body: { Parameters: [] } },
      DescribeSecret: { status: 400, body: { __type: "AccessDeniedException", message: "not you" } },
    };
    const { stdout, exitCode } = await onStack(replies, undefined, { LookoutReceiverSecrets: receivers });

    expect(exitCode).toBe(1);
    expect(stdout).toContain("✗ receiver registry   the parameter /lookout/receivers/registry is missing");
    expect(stdout).toContain("aws ssm put-parameter --region eu-central-1 --type SecureString");
    expect(stdout).toContain("! receiver builds     the secret teams/builds can't be checked: not you");
    expect(stdout).toContain("You need secretsmanager:DescribeSecret.");
  });

  it("reports an incomplete stack", async () => {
    const { stdout, exitCode } = await onStack({}, "UPDATE_ROLLBACK_FAILED");

    expect(exitCode).toBe(1);
    expect(stdout).toContain("✗ stack           lookout in eu-central-1 is UPDATE_ROLLBACK_FAILED");
  });
});
