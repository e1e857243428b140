import type { Role } from "./roles.ts";
import type { TokenScope } from "./scope.ts";
import type { AccessToken } from "./token.ts";

/** The rights of a request's caller. */
export interface Access {
  readonly role: Role;
  readonly scope: TokenScope;
  /** The caller's personal token. Absent for the token of the state folder, and on AWS. */
  readonly token?: AccessToken;
}

/** The rights of the state folder's owner, and of a caller that IAM admitted. */
export const fullAccess: Access = { role: "owner", scope: {} };

/** Returns the rights of a personal token. */
export function accessOfToken(token: AccessToken): Access {
  const { role, clusters, namespaces } = token;
  const scope = {
    ...(clusters === undefined ? {} : { clusters }),
    ...(namespaces === undefined ? {} : { namespaces }),
  };
  return { role, scope, token };
}
