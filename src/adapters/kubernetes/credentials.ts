import type { Dispatcher } from "undici";
import type { Proof } from "./expiry.ts";

/** What a request needs to be let in, and the connections that it takes. */
export interface Credentials {
  readonly kind: "credentials";
  /** The server that they are for, and no other. A server behind a gateway has a path of its own. */
  readonly server: URL;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** For the words when the server refuses it. */
  readonly proof: Proof;
  /** What to do when the server can't be connected to, as the end of a sentence; absent: nothing is known but its address. */
  readonly whenAway?: string;
}

/** There is no credential to ask with; `text` says to people why, and what to do. */
export interface NoCredentials {
  readonly kind: "none";
  readonly text: string;
  /** True: it may be had the next time; so the cluster counts as away, and not as one that denies. */
  readonly isTransient?: true;
}

/** Gives the credentials for one cluster. Never rejects. */
export interface CredentialSource {
  /** What the cluster's server is called in messages. */
  readonly host: string;
  /** @param refresh - true: get it afresh from where it is from, because the server refused what was given before. */
  credentials(refresh: boolean): Promise<Credentials | NoCredentials>;
  /** What to do about a credential that is refused or can't be had, as the end of a sentence. */
  readonly remedy: string;
  close(): Promise<void>;
}
