/** What other programs use of Lookout: the types of its facts, and a client of its API (docs/api.md). */
import createClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./api.ts";

export type { Fact, FactName } from "#domain/update/events";

/** The schemas of the API, by name. */
export type Schemas = components["schemas"];
/** A client with one method per HTTP method. Paths, parameters, bodies and answers have types. */
export type LookoutClient = Client<paths>;

/** The place of a Lookout. */
export interface LookoutClientOptions extends Omit<ClientOptions, "baseUrl"> {
  /** The address of the local process, or the output `LookoutApiUrl` of a stack. */
  readonly url: string;
  /** A token of the local process. A stack on AWS needs a `fetch` that signs requests instead. */
  readonly token?: string;
}

/** Returns a client of a Lookout's API. It follows no redirect, which could get the token. */
export function lookoutClient({ url, token, headers, ...options }: LookoutClientOptions): LookoutClient {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return createClient<paths>({
    baseUrl: url,
    redirect: "error",
    ...options,
    headers: { ...authorization, ...(headers as Record<string, string>) },
  });
}
