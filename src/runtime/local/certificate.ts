import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { type EpochMs, epochMs, toIso } from "#domain/shared/time";
import { PermanentError } from "#ports/errors";
import { codeOf } from "./system-errors.ts";

/** The files of a certificate and its private key, in PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate with its key. */
export interface Certificate {
  /** The certificate of the server, then the certificates of its issuers, in PEM. */
  readonly cert: string;
  readonly key: string;
  /** The certificate of the server alone, in PEM. */
  readonly leaf: string;
  readonly validFrom: EpochMs;
  readonly expiresAt: EpochMs;
}

/** The oldest version of TLS that Lookout accepts. */
export const oldestTls = "TLSv1.2";

/**
 * Reads a certificate and its key.
 *
 * @throws PermanentError with the file at fault and what to do
 */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([textOf(certFile, "certificate"), textOf(keyFile, "private key")]);
  const first = parsed(() => new X509Certificate(cert), `${certFile} has no certificate in PEM`);
  const privateKey = parsed(() => createPrivateKey(key), `${keyFile} has no private key in PEM without a password`);
  checkPair(first, privateKey, { certFile, keyFile });
  parsed(() => createSecureContext({ cert, key, minVersion: oldestTls }), `TLS can't use the certificate ${certFile}`);
  return {
    ...{ cert, key, leaf: first.toString() },
    validFrom: epochMs(first.validFromDate.getTime()),
    expiresAt: epochMs(first.validToDate.getTime()),
  };
}

/** Returns a problem of a certificate that TLS can use; undefined for a valid certificate. */
export function certificateDoubt({ validFrom, expiresAt }: Certificate, now: EpochMs): string | undefined {
  if (now >= expiresAt) return `it expired at ${toIso(expiresAt)}, so clients refuse it: renew it`;
  if (now < validFrom) return `it is valid only from ${toIso(validFrom)}, so clients refuse it: check the clocks`;
  return undefined;
}

async function textOf(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? "does not exist" : `can't be read (${codeOf(error) ?? "unknown error"})`;
    throw new PermanentError(`the ${what} ${path} ${why}: name a readable file in PEM under listen in lookout.yaml`, {
      cause: error,
    });
  }
}

function parsed<Value>(parse: () => Value, problem: string): Value {
  try {
    return parse();
  } catch (error) {
    const code = codeOf(error) ?? "unknown error";
    throw new PermanentError(`${problem} (${code}): write the file again`, { cause: error });
  }
}

function checkPair(certificate: X509Certificate, key: KeyObject, { certFile, keyFile }: CertificateFiles): void {
  if (certificate.checkPrivateKey(key)) return;
  throw new PermanentError(
    `${keyFile} is not the key of the certificate ${certFile}: put the pair of one issue into both files, with the server's certificate first`,
  );
}
