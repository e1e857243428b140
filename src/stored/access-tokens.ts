import * as z from "zod/mini";
import { roles } from "#domain/access/roles";
import type { AccessToken } from "#domain/access/token";
import { hours, plus } from "#domain/shared/time";
import type { AccessTokens } from "#ports/access-tokens";
import type { Condition } from "#ports/items";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, instant, keyText, list, maybe, type Members, name } from "./shape.ts";
import { putIf } from "./writes.ts";

const hexadecimal = (digits: number) => z.string().check(z.regex(new RegExp(`^[0-9a-f]{${digits}}$`)));

/** The kind of personal tokens. A token that can't be read admits nobody. */
export const accessTokenKind: Kind<AccessToken> = {
  name: "personal token",
  form: 1,
  shape: z.object({
    name: keyText(63),
    id: hexadecimal(12),
    hash: hexadecimal(64),
    role: z.enum(roles),
    clusters: maybe(list(name)),
    namespaces: maybe(list(name)),
    createdBy: anyText,
    createdAt: instant,
    expiresAt: maybe(instant),
    revokedAt: maybe(instant),
    lastUsedAt: maybe(instant),
  } satisfies Members<AccessToken>),
  isAt: (token, { sk }) => token.name === sk,
};

const pk = "TOKENS";

/** The time after which a revoked or expired token is forgotten. Until then, its holder is told why it ended. */
const keptAfterEnd = hours(90 * 24);

/** Returns the store of personal tokens. */
export function storedAccessTokens(storage: Storage): AccessTokens {
  const { items } = storage;
  return {
    async read(owner) {
      const item = await items.get({ pk, sk: owner }, `reading the token of ${owner}`);
      return item === undefined ? undefined : valuesOf(accessTokenKind, [item], storage)[0];
    },
    list: async () => valuesOf(accessTokenKind, await items.query({ pk }, "listing the tokens"), storage),
    replace(before, token) {
      const { id, revokedAt, expiresAt } = token;
      const end = revokedAt ?? expiresAt;
      const item = itemOf(accessTokenKind, { pk, sk: token.name }, token, {
        marks: { id, isRevoked: revokedAt !== undefined },
        ...(end === undefined ? {} : { expiresAt: plus(end, keptAfterEnd) }),
      });
      return putIf(items, item, stillStored(before), `storing the token of ${token.name}`);
    },
  };
}

function stillStored(before: AccessToken | undefined): Condition {
  if (before === undefined) return { kind: "absent" };
  return {
    kind: "all",
    of: [
      { kind: "equals", mark: "id", value: before.id },
      { kind: "equals", mark: "isRevoked", value: before.revokedAt !== undefined },
    ],
  };
}
