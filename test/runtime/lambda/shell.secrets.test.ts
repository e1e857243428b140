import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PermanentError, TransientError } from "#ports/errors";
import { onCommands, onSchedule } from "#runtime/handler";
import { queueShell } from "#runtime/lambda/queue";
import { requestShell } from "#runtime/lambda/request";
import { scheduleShell } from "#runtime/lambda/schedule";
import { ownQueue } from "#runtime/lambda/wiring/own-queue";
import { contextOf, type LambdaStage, lambdaStage } from "./stage.ts";

const canary = "c4nary-s3cret";

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage();
});
afterEach(() => stage.close());

/** As errors of clients are: with the request and its credentials as members. */
function clientError(): Error {
  return Object.assign(new Error("the request failed"), {
    ...{ $response: { headers: { authorization: canary } }, config: { password: canary }, input: canary },
    cause: Object.assign(new Error("the connection was reset"), { token: canary }),
  });
}

const queue = (run: Parameters<typeof queueShell>[0], body: string): Promise<unknown> =>
  queueShell(run, stage.settings("detect/sync-cluster", [ownQueue]))(
    { Records: [{ messageId: "m0", body }] } as Parameters<ReturnType<typeof queueShell>>[0],
    contextOf(),
  );
const sync = JSON.stringify({ name: "SyncCluster", id: canary, cluster: canary });

describe("a secret", () => {
  it.each([
    { in: "a body that is not JSON", body: canary },
    { in: "a body that ends too early", body: `{"name":"SyncCluster","cluster":"${canary}` },
    { in: "a member that is wrong", body: JSON.stringify({ name: canary, cluster: [canary] }) },
    { in: "an unknown member", body: JSON.stringify({ name: "Wake", [canary]: 1 }) },
  ])("in $in is not logged", async ({ body }) => {
    await queue(onCommands({ SyncCluster: async () => undefined }), body);

    expect(stage.output()).not.toContain(canary);
    expect(stage.lines()).toMatchObject([{ level: "ERROR" }, { MessagesKept: 1 }]);
  });

  it.each([
    { of: "a client", error: clientError() },
    {
      of: "a port, with a client's as its cause",
      error: new TransientError("the table is away", { cause: clientError() }),
    },
    { of: "a refusal", error: new PermanentError("no", { cause: clientError() }) },
    { of: "anything that was thrown", error: canary as unknown as Error },
  ])("in the error of $of is not logged", async ({ error }) => {
    await queue(onCommands({ SyncCluster: () => Promise.reject(error) }), sync.replace(canary, "1"));
    const run = onSchedule("sweep-due", () => Promise.reject(error));
    const failed: unknown = await scheduleShell(run, stage.settings("detect/sweep-due"))({}, contextOf()).catch(
      (thrown: unknown) => thrown,
    );

    expect(stage.output()).not.toContain(canary);
    expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toContain(canary);
    expect(stage.lines().length).toBeGreaterThan(1);
  });

  it("in an outcome's error, in a request or in the environment is not logged", async () => {
    stage.environment.AWS_SECRET_ACCESS_KEY = canary;
    await queue(
      onCommands({ SyncCluster: async () => ({ kind: "looked", failure: clientError() }) }),
      sync.replace(canary, "1"),
    );
    await requestShell(() => Promise.reject(clientError()), stage.settings("api/v1"))(
      {
        ...{ rawPath: "/v1/x", rawQueryString: canary, headers: { authorization: canary }, body: canary },
        requestContext: {
          ...{ domainName: "api.test", http: { method: "POST", path: "/v1/x" } },
          authorizer: { iam: { userArn: "arn:aws:iam::111122223333:user/kim" } },
        },
      } as unknown as Parameters<ReturnType<typeof requestShell>>[0],
      contextOf(),
    );

    expect(stage.output()).not.toContain(canary);
    expect(stage.lines()).toHaveLength(3);
  });
});
