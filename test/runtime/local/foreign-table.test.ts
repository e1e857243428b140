import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScratch, type Scratch } from "#test/docs/shell";

const patience = 60_000;
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "away", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "me", user: { token: "none" } }],
  contexts: [{ name: "away", context: { cluster: "away", user: "me" } }],
  "current-context": "away",
});
const start = `exec ${process.execPath} bin/lookout.js start --listen 127.0.0.1:0 --output text --data state`;

let scratch: Scratch;
beforeAll(() => {
  scratch = openScratch({ kubeconfig });
});
afterAll(() => scratch.close(), patience);

describe("DYNAMODB_ENDPOINT", () => {
  it(
    "is not touched by the demo, which says so",
    async () => {
      let requests = 0;
      const foreign = createServer((_request, response) => {
        requests += 1;
        response.writeHead(500).end();
      });
      await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
      const address = foreign.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const demo = scratch.start(start, { DYNAMODB_ENDPOINT: `http://127.0.0.1:${port ?? ""}` });
      await demo.says(/stop with Ctrl-C/);
      const { stderr } = await demo.interrupt();
      foreign.close();

      expect([requests, stderr.split("\n")[0]]).toEqual([
        0,
        "the demo keeps its state in an engine of its own: DYNAMODB_ENDPOINT is for your clusters, and is ignored",
      ]);
    },
    patience,
  );

  it.each([
    [
      "ana:hunter2@somewhere",
      "✗ DYNAMODB_ENDPOINT names somewhere, which is not a URL\n" +
        "  For example: http://127.0.0.1:8000. Without the variable the embedded engine is used.\n",
    ],
    [
      "http://ana:hunter2@127.0.0.1:1",
      "✗ DYNAMODB_ENDPOINT names http://127.0.0.1:1, and that can't be used: DynamoDB failed while making sure that the table lookout exists (Error)\n" +
        "  Start the DynamoDB that should answer there, or correct the variable. Without the variable the embedded engine is used.\n",
    ],
  ])(
    "is named with its address and what to do when it is %s",
    async (endpoint, said) => {
      const folder = join(scratch.folder, "other");
      const { code, stderr } = await scratch.run(`${start} --kubeconfig kubeconfig --data ${folder}`, {
        DYNAMODB_ENDPOINT: endpoint,
      });
      expect([code, stderr]).toEqual([2, said]);
    },
    patience,
  );
});
