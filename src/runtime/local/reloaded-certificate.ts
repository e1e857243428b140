import type { Clock } from "#ports/clock";
import type { Reload } from "#ports/reloads";
import { type Certificate, certificateDoubt, type CertificateFiles, readCertificate } from "./certificate.ts";
import { type ReadAgain, watchedFiles } from "./watched-files.ts";

/** The certificate of a running process. */
export interface ReloadedCertificate {
  /** Returns the certificate in force. */
  readonly certificate: () => Certificate;
  readonly outcome: () => Reload;
  /** Reads the files again if they have changed. Call it every second. */
  readonly look: () => Promise<void>;
}

interface CertificateOptions {
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly notice: (text: string, level?: "info" | "error") => void;
  /** Puts a renewed certificate in force. */
  readonly use: (certificate: Certificate) => Promise<void>;
}

/**
 * Returns the certificate, which follows its files. A pair that can't be used leaves the former
 * certificate in force.
 *
 * @throws PermanentError if the first pair can't be used
 */
export async function reloadedCertificate({
  files,
  clock,
  notice,
  use,
}: CertificateOptions): Promise<ReloadedCertificate> {
  const look = watchedFiles({
    paths: () => [files.certFile, files.keyFile],
    read: async (isSame) => {
      let next: Certificate;
      try {
        next = await readCertificate(files);
      } catch (error) {
        if (!(await isSame())) return "moved";
        return fail(error);
      }
      if (!(await isSame())) return "moved";
      const isOther = next.cert !== inForce.cert || next.key !== inForce.key;
      if (!isOther && failure === undefined) return "done";
      [inForce, loadedAt, failure] = [next, clock.now(), undefined];
      tell();
      if (isOther) await use(next);
      return "done";
    },
  });
  let inForce = await readCertificate(files);
  let loadedAt = clock.now();
  let failure: Reload["failure"];
  const fail = (error: unknown): ReadAgain => {
    const detail = error instanceof Error ? error.message : "unknown error";
    if (failure?.detail !== detail) notice(`${detail}. The former certificate stays in force`, "error");
    failure = { at: failure?.at ?? clock.now(), detail };
    return "failed";
  };
  const doubt = (): string | undefined => certificateDoubt(inForce, clock.now());
  const tell = (): void => {
    const why = doubt();
    if (why !== undefined) notice(`the certificate ${files.certFile}: ${why}`, "error");
  };
  tell();
  return {
    certificate: () => inForce,
    outcome: () => {
      const why = doubt();
      return {
        ...{ part: "certificate", file: files.certFile, loadedAt, expiresAt: inForce.expiresAt },
        ...(failure === undefined ? {} : { failure }),
        ...(why === undefined ? {} : { doubt: why }),
      };
    },
    look,
  };
}
