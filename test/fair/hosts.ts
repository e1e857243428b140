import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Shape, shapes } from "./shapes.ts";

/**
 * A process with hostile registries on the loopback. Its arguments are the shape and the number of
 * hosts. It tells its parent the hosts.
 */
const [, , shape = "", count = "1"] = process.argv;
const answer = shapes[shape as Shape];
const hosts: string[] = [];

for (let index = 0; index < Number(count); index += 1) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    if (!url.pathname.endsWith("/tags/list")) {
      response.writeHead(url.pathname === "/v2/" ? 200 : 404).end();
      return;
    }
    answer(Number(url.searchParams.get("last")?.slice(1) ?? 0), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  hosts.push(`127.0.0.1:${(server.address() as AddressInfo).port}`);
}
process.send?.(hosts);
process.on("disconnect", () => process.exit());
