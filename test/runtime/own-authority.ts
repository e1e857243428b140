import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate authority, and the certificate of one server that it signed, in PEM. */
export interface OwnAuthority {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

const elliptic = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/**
 * Makes an authority that no system trusts, and a certificate for `registry.test` and 127.0.0.1.
 */
export function ownAuthority(): OwnAuthority {
  const folder = mkdtempSync(join(tmpdir(), "lookout-authority-"));
  const at = (name: string): string => join(folder, name);
  const openssl = (...arguments_: readonly string[]) => execFileSync("openssl", arguments_, { stdio: "ignore" });
  writeFileSync(at("names"), "subjectAltName=DNS:registry.test,IP:127.0.0.1");
  openssl("req", "-x509", ...elliptic, "-keyout", at("ca.key"), "-out", at("ca.pem"), "-days", "2", "-subj", "/CN=Own");
  openssl("req", ...elliptic, "-keyout", at("key"), "-out", at("request"), "-subj", "/CN=registry.test");
  const signed = [
    "-CA",
    at("ca.pem"),
    "-CAkey",
    at("ca.key"),
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    at("names"),
  ];
  openssl("x509", "-req", "-in", at("request"), ...signed, "-out", at("cert"));
  const made = {
    ca: readFileSync(at("ca.pem"), "utf8"),
    key: readFileSync(at("key"), "utf8"),
    cert: readFileSync(at("cert"), "utf8"),
  };
  rmSync(folder, { recursive: true });
  return made;
}
