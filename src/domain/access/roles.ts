/** The roles of tokens, from the fewest rights to all rights. Each role has the rights of the roles before it. */
export const roles = ["viewer", "approver", "operator", "owner"] as const;

/** What the holder of a token may do. */
export type Role = (typeof roles)[number];

/** Returns whether a role has the rights of another role. */
export function hasRightsOf(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
