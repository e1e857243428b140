import { epochMs } from "#domain/shared/time";
import type { RegistryInspection } from "#ports/registry";
import { headersOf } from "./http.ts";
import type { CredentialSource } from "./credentials.ts";
import type { RegistrySite } from "./hosts.ts";
import { rateLimitOf } from "./rate-limit.ts";
import type { Senders } from "./site-client.ts";

/** Collects the findings of the requests of one inspection. */
export interface Observer {
  /** Returns senders that also note the headers of the registry's own answers. */
  readonly senders: (site: RegistrySite, senders: Senders) => Senders;
  /**
   * Returns a source that also notes the origin of a credential, but never the credential itself.
   */
  readonly credentials: (source: CredentialSource) => CredentialSource;
  /** Returns the findings. */
  readonly seen: () => Omit<RegistryInspection, "listing">;
}

/** Returns a new observer. */
export function observer(): Observer {
  let answer: RegistryInspection["answer"];
  let credentialFrom: string | undefined;
  return {
    senders: ({ origin, insecure }, senders) => ({
      ...senders,
      own: async (url, call) => {
        const reply = await senders.own(url, call);
        // The answers of a token host are not noted.
        if (new URL(url).origin === origin) answer = answerOf(headersOf(reply.headers), insecure ? "http" : "https");
        return reply;
      },
    }),
    credentials: (source) => async (host, repository, afresh) => {
      const credential = await source(host, repository, afresh);
      if (credential !== undefined && !("none" in credential)) credentialFrom = credential.from ?? "an unnamed source";
      return credential;
    },
    seen: () => ({
      ...(answer === undefined ? {} : { answer }),
      ...(credentialFrom === undefined ? {} : { credentialFrom }),
    }),
  };
}

function answerOf(
  headers: ReadonlyMap<string, string>,
  scheme: "http" | "https",
): NonNullable<RegistryInspection["answer"]> {
  const date = Date.parse(headers.get("date") ?? "");
  const statedLimit = rateLimitOf(headers);
  return { scheme, statedLimit, ...(Number.isNaN(date) ? {} : { serverTime: epochMs(date) }) };
}
