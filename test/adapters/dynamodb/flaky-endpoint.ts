import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands before an engine and loses answers. */
export interface FlakyEndpoint {
  readonly endpoint: string;
  /**
   * The next request of this operation is carried out, and its connection is cut instead of an
   * answer.
   */
  readonly loseAnswerOf: (operation: string) => void;
  /** How many requests of an operation arrived. */
  readonly count: (operation: string) => number;
  readonly stop: () => Promise<void>;
}

/** Starts to pass requests on to an engine. */
export async function startFlakyEndpoint(engine: string): Promise<FlakyEndpoint> {
  const lost: string[] = [];
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
      seen.push(operation);
      const answer = await passOn(engine, request);
      const place = lost.indexOf(operation);
      if (place >= 0) {
        lost.splice(place, 1);
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(await answer.text());
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    loseAnswerOf: (operation) => lost.push(operation),
    count: (operation) => seen.filter((each) => each === operation).length,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function passOn(engine: string, request: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "", authorization: "" };
  for (const name of ["x-amz-target", "authorization", "x-amz-date"] as const)
    Object.assign(headers, { [name]: String(request.headers[name] ?? "") });
  return fetch(engine, { method: "POST", headers, body: Buffer.concat(chunks) });
}
