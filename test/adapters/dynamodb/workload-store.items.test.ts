import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, it } from "vitest";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError, TransientError } from "#ports/errors";
import { deployment, firstRecord, start } from "#test/contracts/records";
import { engineClient, startEngine, withEngine } from "./engine.ts";
import { ledgerKey } from "#stored/ledger";
import { recordKey } from "#stored/records";
import { storedIn } from "./stored.ts";

const record = firstRecord(deployment("api"));
const key = workloadKey(record.workload);

withEngine(await startEngine(), (engine) => {
  afterAll(engine.stop);

  describe("a stored item", () => {
    it("of a newer schema is not read: a newer Lookout gets the command again", async () => {
      const where = await engine.table();
      const store = storedIn(where).store;
      await store.write(record);
      await where.client.send(
        new UpdateCommand({
          TableName: where.table,
          Key: { ...recordKey(key) },
          UpdateExpression: "SET form = :newer",
          ExpressionAttributeValues: { ":newer": 2 },
        }),
      );
      const reading = expect(store.read(key)).rejects;
      await reading.toBeInstanceOf(TransientError);
      await expect(store.read(key)).rejects.toThrow(/has the form 2 of a newer Lookout/);
      expect(await store.readMany([key])).toEqual([]);
    });

    it("that is damaged or newer is named, and hides no other", async () => {
      const where = await engine.table();
      const { store, storedItems } = storedIn(where);
      for (const name of ["api", "job", "web"]) await store.write(firstRecord(deployment(name)));
      const keys = ["api", "job", "web"].map((name) => workloadKey(deployment(name)));
      const spoil = (workload: string, expression: string, values?: Readonly<Record<string, unknown>>) =>
        where.client.send(
          new UpdateCommand({
            TableName: where.table,
            Key: { ...recordKey(workload) },
            UpdateExpression: expression,
            ...(expression.includes("#value") && { ExpressionAttributeNames: { "#value": "value" } }),
            ...(values && { ExpressionAttributeValues: values }),
          }),
        );
      await spoil(keys[0]!, "SET form = :newer", { ":newer": 2 });
      await spoil(keys[1]!, "REMOVE #value.uid");

      expect((await store.readMany(keys)).map(({ workload }) => workload.name)).toEqual(["web"]);
      expect((await store.unreadable(keys)).toSorted((one, other) => (one.workload < other.workload ? -1 : 1))).toEqual(
        [
          {
            ...{ kind: "record of a workload", key: recordKey(keys[0]!), workload: keys[0] },
            why: "has the form 2 of a newer Lookout: run that version",
          },
          {
            ...{ kind: "record of a workload", key: recordKey(keys[1]!), workload: keys[1] },
            why: 'is damaged: its member "uid" is missing',
          },
        ],
      );
      const partitions = await storedItems.partitions(["prod"], start);
      const surveys = await Promise.all(partitions.map((partition) => storedItems.survey(partition)));
      expect(surveys.flatMap(({ unreadable }) => unreadable.map(({ key: { pk } }) => pk))).toEqual([
        `WORKLOAD#${keys[0]!}`,
        `WORKLOAD#${keys[1]!}`,
      ]);
      expect(surveys.flatMap(({ forms }) => forms).filter(({ kind }) => kind === "record of a workload")).toEqual(
        [2, 1, 1].map((form) => ({ kind: "record of a workload", form, items: 1 })),
      );
    });

    it("of the ledger is a plain map", async () => {
      const where = await engine.table();
      const transition = { seq: 1, what: "held", reasons: [], changes: [] } as const;
      const row = { workload: key, uid: "uid-1", seq: 1, version: 2, at: start, cause: "Wake:1:1", transition };
      await storedIn(where).ledger.append([row]);
      const { Item } = await where.client.send(
        new GetCommand({ TableName: where.table, Key: { ...ledgerKey({ workload: key, version: 2, seq: 1 }) } }),
      );
      expect(Item?.value).toEqual(row);
    });

    it("of the ledger expires 400 days after its instant", async () => {
      const where = await engine.table();
      const transition = { seq: 1, what: "held", reasons: [], changes: [] } as const;
      await storedIn(where).ledger.append([
        { workload: key, uid: "uid-1", seq: 1, version: 2, at: start, cause: "Wake:1:1", transition },
      ]);
      const { Item } = await where.client.send(
        new GetCommand({ TableName: where.table, Key: { ...ledgerKey({ workload: key, version: 2, seq: 1 }) } }),
      );
      expect(Item?.expiresAt).toBe(start / 1_000 + 400 * 86_400);
    });
  });

  describe("an error", () => {
    it("of an unreachable engine is transient and keeps its cause", async () => {
      const client = engineClient("http://127.0.0.1:9");
      const error: unknown = await storedIn({ client, table: "none" })
        .store.read(key)
        .catch((e: unknown) => e);
      client.destroy();
      expect(error).toBeInstanceOf(TransientError);
      expect(error).toMatchObject({
        message: expect.stringContaining(`reading the record of ${key}`) as string,
        cause: { code: "ECONNREFUSED" },
      });
    });

    it("of a missing table is transient, because a user creates it", async () => {
      const { client } = await engine.table();
      const reading = storedIn({ client, table: "missing" }).store.read(key);
      await expect(reading).rejects.toThrow(TransientError);
    });

    it("of a too large item is permanent", async () => {
      const store = storedIn(await engine.table()).store;
      const detail = "x".repeat(400 * 1_024);
      const large = firstRecord(record.workload, {
        selectionFailures: [{ container: "app", reason: "problem-in-settings", detail }],
      });
      await expect(store.write(large)).rejects.toThrow(PermanentError);
      expect(await store.read(key)).toBeUndefined();
    });

    it("of a foreign item in the place of a record is permanent", async () => {
      const where = await engine.table();
      await where.client.send(new PutCommand({ TableName: where.table, Item: { ...recordKey(key), text: "?" } }));
      await expect(storedIn(where).store.read(key)).rejects.toThrow(/has no form: another program wrote it/);
    });
  });
});
