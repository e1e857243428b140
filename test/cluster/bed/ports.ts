import { createServer } from "node:net";

/** The range of ports that Linux does not use for outgoing connections. */
const lowest = 20_000;
const highest = 32_000;

/**
 * Returns different free ports on 127.0.0.1.
 *
 * They are below the range for outgoing connections. Otherwise, a reconnecting client could get the
 * port of the stopped server.
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
