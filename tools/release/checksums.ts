/** The checksums of a release, and their signature. */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns the lines of `sha256sum`, in the order of the names. */
export async function checksumsOf(folder: string, names: readonly string[]): Promise<string> {
  const lines = names.toSorted().map(async (name) => {
    const hash = createHash("sha256").update(await readFile(join(folder, name)));
    return `${hash.digest("hex")}  ${name}\n`;
  });
  return (await Promise.all(lines)).join("");
}

/** A signature in cosign's form, and the key that verifies it. */
export interface Signature {
  /** Base64, as `cosign sign-blob` and `openssl dgst -sha256 -sign` make it. */
  readonly signature: string;
  readonly publicKey: string;
}

/**
 * Signs a text.
 *
 * @param pem - a private key on the curve P-256, without a password.
 * @throws Error for any other key
 */
export function signed(text: string, pem: string): Signature {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1")
    throw new Error(
      "the key must be a private key on the curve P-256: openssl ecparam -name prime256v1 -genkey -noout",
    );
  const publicKey = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  return { signature: `${sign("sha256", Buffer.from(text), key).toString("base64")}\n`, publicKey };
}
