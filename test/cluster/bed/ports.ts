import { createServer } from "node:net";

/** The range from which Linux never takes the port of an outgoing connection. */
const lowest = 20_000;
const highest = 32_000;

/**
 * Finds ports on 127.0.0.1 that nobody listens on, each another.
 *
 * They lie below the range for outgoing connections: a client that keeps trying to reach a stopped server would
 * otherwise be given, sooner or later, the server's own port.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => {
      resolve(false);
    });
    server.listen(port, "127.0.0.1", () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
