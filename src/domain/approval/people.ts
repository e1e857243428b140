import { sha256 } from "../shared/sha256.ts";
import { withoutInvisible } from "../shared/shown-text.ts";

/** A person of `lookout.yaml`. */
export interface Person {
  readonly name: string;
  /**
   * The person's principals on AWS: the ARN of a user, a role or a session, or `ROLE/SESSION`.
   *
   * A role has one vote, which all its users share.
   */
  readonly iam: readonly string[];
  /**
   * The person's email address. An approval annotation may contain this address instead of the
   * name.
   */
  readonly email?: string;
  /** `sha256:` and the SHA-256 of the person's local token. Absent if there is no token. */
  readonly tokenHash?: string;
  /**
   * The name of the person's token on a local Lookout: of `lookout token create NAME`. Whoever may
   * create tokens can act as this person.
   */
  readonly token?: string;
}

/** The proof of a request's sender. */
export type Credential =
  /** IAM proved the ARN: of a user, or of a session of a role. */
  | { readonly kind: "iam"; readonly arn: string }
  /** The request has a personal token. */
  | { readonly kind: "token"; readonly token: string }
  /** The local Lookout accepted a token of `lookout token create`. `hash` is its {@link tokenHash}. */
  | { readonly kind: "personal-token"; readonly name: string; readonly id: string; readonly hash: string }
  | { readonly kind: "none" };

/** The stored proof of a vote's person. */
export type Proof =
  | { readonly kind: "iam"; readonly arn: string }
  /** A token of lookout.yaml, or the token with this name and id of `lookout token create`. */
  | { readonly kind: "token"; readonly name?: string; readonly id?: string }
  /** An annotation of the object. An annotation does not prove its author. */
  | { readonly kind: "annotation"; readonly by: string; readonly image: string };

/** The ways in which a name can be proved. An annotation does not prove its author. */
export const proofKinds = ["iam", "token", "annotation"] as const;
/** One of {@link proofKinds}. */
export type ProvedBy = (typeof proofKinds)[number];

/** A proved person. */
export interface Voter {
  readonly person: string;
  readonly proof: Proof;
}

type People = { readonly people: readonly Person[]; readonly namesAreProved: readonly string[] };

/** Returns the person whom a credential proves, or undefined for any other caller. */
export function voterOf(credential: Credential, rules: People): Voter | undefined {
  switch (credential.kind) {
    case "iam": {
      const person = personOf(credential.arn, rules);
      return person && { person: person.name, proof: credential };
    }
    case "token": {
      const hash = tokenHash(credential.token);
      const person = rules.people.find((one) => one.tokenHash === hash);
      return person && { person: person.name, proof: { kind: "token" } };
    }
    case "personal-token": {
      const { name, id, hash } = credential;
      const person =
        rules.people.find((one) => one.tokenHash === hash) ?? rules.people.find((one) => one.token === name);
      return person && { person: person.name, proof: { kind: "token", name, id } };
    }
    case "none":
      return undefined;
  }
}

/** Returns whether a person can vote by a request. Such a vote needs a principal or a token. */
export function canProve({ iam, tokenHash, token }: Pick<Person, "iam" | "tokenHash" | "token">): boolean {
  return iam.length > 0 || tokenHash !== undefined || token !== undefined;
}

/**
 * Returns a name or an address as comparable text: without case, surrounding white space, invisible
 * characters and differences of Unicode normalization.
 */
export function spellingKey(text: string): string {
  return withoutInvisible(text.normalize("NFKC")).trim().toUpperCase().toLowerCase().normalize("NFKC");
}

/**
 * Returns the hash of a local token, in the form of `lookout.yaml`. A token is random, so a plain
 * hash is enough.
 */
export function tokenHash(token: string): string {
  return `sha256:${sha256(token)}`;
}

/**
 * Returns the person of a principal. If a session and its role belong to different people, the
 * function returns the person of the session.
 */
function personOf(arn: string, { people, namesAreProved }: People): Person | undefined {
  const names = principalsOf(arn, namesAreProved);
  for (const name of names) {
    const person = people.find(({ iam }) => iam.some((written) => principalKey(written) === name));
    if (person !== undefined) return person;
  }
  return undefined;
}

const sessionPattern = /^arn:aws[a-z-]*:sts::(\d{12}):assumed-role\/([^/]+)\/([^/]+)$/;
const userOrRolePattern = /^arn:aws[a-z-]*:iam::(\d{12}):(user|role)\/(?:.*\/)?([^/]+)$/;

/** Returns the names of a caller, the most exact name first. */
function principalsOf(arn: string, namesAreProved: readonly string[]): readonly string[] {
  const [, account, role, session] = sessionPattern.exec(arn) ?? [];
  if (account === undefined || role === undefined || session === undefined) return [principalKey(arn)];
  const ofRole = `${account}:role/${role}`;
  if (!isNameProved(account, role, namesAreProved)) return [ofRole];
  return [`${account}:session/${role}/${session}`, `session/${role}/${session}`, ofRole];
}

/**
 * Returns whether a role's session names are proved: by Identity Center, or by the owner in
 * `namesAreProved`.
 */
function isNameProved(account: string, role: string, namesAreProved: readonly string[]): boolean {
  return (
    role.startsWith(identityCenterPrefix) ||
    namesAreProved.some((arn) => principalKey(arn) === `${account}:role/${role}`)
  );
}

/** The prefix of the roles that IAM Identity Center creates. */
const identityCenterPrefix = "AWSReservedSSO_";

/**
 * Returns a principal of `lookout.yaml` as comparable text. The ARN of a session has no role path.
 */
export function principalKey(principal: string): string {
  const [, sessionAccount, role, session] = sessionPattern.exec(principal) ?? [];
  if (sessionAccount !== undefined) return `${sessionAccount}:session/${role ?? ""}/${session ?? ""}`;
  const [, account, kind, name] = userOrRolePattern.exec(principal) ?? [];
  if (account !== undefined) return `${account}:${kind ?? ""}/${name ?? ""}`;
  return `session/${principal}`;
}

/**
 * Returns why a principal is not a person, or undefined for a person.
 *
 * Callers choose the names of their sessions, except for roles whose session names are proved.
 *
 * @param proved - the roles of {@link provedRoles}.
 */
export function principalProblem(principal: string, proved: ReadonlySet<string>): string | undefined {
  if (userOrRolePattern.test(principal)) return undefined;
  const [, account = "", role] = sessionPattern.exec(principal) ?? [];
  const [, shortRole] = /^([\w+=,.@-]+)\/([\w+=,.@-]+)$/.exec(principal) ?? [];
  const named = role ?? shortRole;
  if (named === undefined) return "is not the ARN of a user or a role, nor ROLE/SESSION";
  if (named.startsWith(identityCenterPrefix) || proved.has(`${account}:role/${named}`)) return undefined;
  return `names a session of ${named}, and the caller chooses the session's name. List the role in namesAreProved if its trust policy fixes sts:RoleSessionName`;
}

/** Returns the keys of roles in `namesAreProved`, with their account and for all accounts. */
export function provedRoles(namesAreProved: readonly string[]): ReadonlySet<string> {
  return new Set(namesAreProved.map(principalKey).flatMap((key) => [key, key.replace(/^\d{12}/, "")]));
}
