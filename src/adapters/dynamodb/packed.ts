import { deflateRawSync, inflateRawSync } from "node:zlib";
import { PermanentError } from "#ports/errors";

/**
 * What the texts of records and of rows of the ledger are made of: deflate names what stands here instead of writing it out.
 *
 * Never changed, not by a letter: nothing that was packed with it could be read any more, and rows are kept for 400 days.
 */
const words = Buffer.from(
  [
    '{"workload":{"cluster":"prod","namespace":"default","kind":"Deployment","name":""},"version":1,"cause":"CheckRollout:","changedAt":17,',
    '"observed":{"containers":[{"image":"","imageOwner":{"manager":"lookout","operation":"Update"},"baseline":"sha256:"}],"annotations":{',
    '"lookout.dev/enabled":"true"},"sourceMarks":{},"fence":""},"refusals":[],"obstacles":[],"tracked":true,"dueAt":17,"landed":{"last":{',
    '"status":"succeeded","endedAt":17,"runningSince":17},"active":{"status":"rolling-out","releasedAt":17,"patchedAt":17,"deadlineAt":17,',
    '"running":{"seenAt":17,"settlesAt":17,"since":17,"restarts":0,"pods":3}},"happened":[{"seq":1,"what":"released","reasons":[],"detail":" pods",',
    '"electedAt":17,"detectedAt":17,"source":"","correlationId":"","changes":[{"list":"containers","name":"app","repository":"","tag":"1.0.0",',
    '"digest":"sha256:","apply":"pin","from":"","to":"","fromDigest":"sha256:","policy":"semver"}]',
  ].join(""),
);

/** Makes a small value of one that is written as JSON: what a kilobyte holds costs one unit to write, and these would take four. */
export function pack(value: object): Uint8Array {
  return deflateRawSync(JSON.stringify(value), { dictionary: words });
}

/**
 * Reads what {@link pack} made; the table's stream has it as Base64.
 *
 * @throws PermanentError that names where it lies, for anything else.
 */
export function unpack(packed: unknown, where: string): unknown {
  try {
    const bytes = typeof packed === "string" ? Buffer.from(packed, "base64") : (packed as Uint8Array);
    return JSON.parse(inflateRawSync(bytes, { dictionary: words }).toString());
  } catch (error) {
    throw new PermanentError(`what is stored at ${where} can't be unpacked: it is damaged`, { cause: error });
  }
}
