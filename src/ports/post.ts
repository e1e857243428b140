/** A request with a body, to an address of the configuration. */
export interface PostRequest {
  readonly method?: "POST" | "PATCH" | "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Networks without public addresses that the request may reach, as CIDR. The default is none. */
  readonly allowNetworks?: readonly string[] | undefined;
  /** The time for the whole answer. The default is the sender's. */
  readonly timeoutMs?: number;
}

/** What became of a request. */
export type PostAnswer =
  /** `headers` have lower-case names. `body` is empty if it is longer than 16 KiB: its rest was not read. */
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** No complete answer came in time. The request may have arrived. `why` names the host, and nothing else of the address. */
  | { readonly kind: "unanswered"; readonly why: string }
  /** The request was not sent, because the address may not be reached. */
  | { readonly kind: "forbidden"; readonly why: string };

/** Sends one request, without following redirects. Never throws. */
export type Post = (request: PostRequest) => Promise<PostAnswer>;

/** A request to a service of AWS. */
export interface SignedRequest {
  readonly service: string;
  readonly region: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one signed request to a service of AWS. Never throws. */
export type SignedPost = (request: SignedRequest) => Promise<PostAnswer>;
