import type { Dispatcher } from "undici";
import type { Proof } from "./expiry.ts";

/** The credentials of a request and its connections. */
export interface Credentials {
  readonly kind: "credentials";
  /**
   * The only server that may get the credentials. The URL of a server behind a gateway has a path.
   */
  readonly server: URL;
  readonly dispatcher: Dispatcher;
  /** The headers of each request. A list sends its header once for each value. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The proof of identity. A message describes this proof when the server rejects it. */
  readonly proof: Proof;
  /**
   * The remedy for a missing connection, as the end of a sentence. The default is to check the
   * address.
   */
  readonly whenAway?: string;
}

/** No credential is available. `text` is the reason and the remedy. */
export interface NoCredentials {
  readonly kind: "none";
  readonly text: string;
  /** True if a retry may help, so the cluster is unreachable and not denied. */
  readonly isTransient?: true;
}

/** The source of the credentials of one cluster. It never rejects. */
export interface CredentialSource {
  /** The name of the server in messages. */
  readonly host: string;
  /** @param refresh - true if the server rejected the last credential, so caches are skipped. */
  credentials(refresh: boolean): Promise<Credentials | NoCredentials>;
  /** The remedy for a rejected or missing credential, as the end of a sentence. */
  readonly remedy: string;
  close(): Promise<void>;
}
