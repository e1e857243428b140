import type { AccessToken } from "#domain/access/token";

/** The personal tokens of a local Lookout, one for each name. Reads are strongly consistent. */
export interface AccessTokens {
  /** Reads the token of a name; undefined if there is none, or if it can't be read. */
  read(name: string): Promise<AccessToken | undefined>;
  /** Lists all tokens, sorted by name. */
  list(): Promise<readonly AccessToken[]>;
  /**
   * Stores the token of a name, if the stored token is still `before`: the same token, revoked or
   * not. Returns whether it was stored.
   *
   * @param before - undefined if no token of the name is stored
   */
  replace(before: AccessToken | undefined, token: AccessToken): Promise<boolean>;
}
