import { describe, expect, it } from "vitest";
import { readConfiguration } from "#contracts/config/file";
import { withPaths } from "#contracts/config/secrets";

/** Returns the address of a file whose paths are in /etc/lookout, or the problem. */
function listenOf(text: string): unknown {
  const read = readConfiguration(text, "lookout.yaml");
  if (!read.ok) return read.problem.split("\n").at(-1)?.trim();
  return withPaths(read.value.configuration, (path) => `/etc/lookout/${path}`).listen;
}

describe("listen in lookout.yaml", () => {
  it.each([
    ["", { host: "127.0.0.1", port: 4040 }],
    ["listen: '[::1]:8443'", { host: "::1", port: 8443 }],
    ["listen: { address: '0.0.0.0:8443' }", { host: "0.0.0.0", port: 8443 }],
    [
      "listen: { certFile: tls.crt, keyFile: tls.key }",
      { host: "127.0.0.1", port: 4040, certFile: "/etc/lookout/tls.crt", keyFile: "/etc/lookout/tls.key" },
    ],
  ])("%s is an address", (text, address) => {
    expect(listenOf(text)).toEqual(address);
  });

  it.each([
    ["listen: here", '1:1  listen "here": expected "host:port", for example "127.0.0.1:4040" or "[::1]:4040"'],
    ["listen: 5", '1:1  listen 5: expected "host:port", for example'],
    ["listen: { certFile: a }", '1:11  listen.certFile "a": needs keyFile too, because HTTPS needs both files'],
    ["listen: { keyFile: a }", '1:11  listen.keyFile "a": needs certFile too, because HTTPS needs both files'],
    ["listen: { certFle: a }", "1:11  listen.certFle: is not a known key here; did you mean certFile?"],
    ["listen: { address: x }", '1:11  listen.address "x": expected "host:port", for example'],
    ["listen: { certFile: 5, keyFile: a }", "1:11  listen.certFile 5: expected the path of the certificate"],
  ])("%s is a problem with its place", (text, problem) => {
    expect(listenOf(text)).toContain(`lookout.yaml:${problem}`);
  });
});
