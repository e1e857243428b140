import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";

const patience = 60_000;

it(
  "420 senders of endless bodies do not end a process with 300 file descriptors",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "lookout-slow-"));
    const start = `ulimit -n 300; exec "${process.execPath}" bin/lookout.js start --listen 127.0.0.1:0 --data "${folder}"`;
    const server = spawn("sh", ["-c", start], { stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
    try {
      const announced = join(folder, "server.json");
      while (!existsSync(announced)) await pause(50);
      const { url } = JSON.parse(readFileSync(announced, "utf8")) as { readonly url: string };
      const sockets = await Promise.all(Array.from({ length: 420 }, () => slowSender(Number(new URL(url).port))));

      await pause(500);
      for (const socket of sockets) socket.destroy();
      let status: number | undefined;
      while (status === undefined)
        status = await fetch(`${url}/healthz`).then(
          (response) => response.status,
          () => undefined,
        );
      expect({ status, exitCode: server.exitCode }).toEqual({ status: 200, exitCode: null });
    } finally {
      server.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
    expect(server.exitCode).toBe(0);
  },
  patience,
);

/**
 * Opens a connection, says how long its body is, and sends a byte of it. A connection that the
 * process closes is no error here.
 */
function slowSender(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.once("connect", () => {
      socket.write("POST /webhooks/demo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{");
      resolve(socket);
    });
    socket.once("close", () => {
      resolve(socket);
    });
  });
}
