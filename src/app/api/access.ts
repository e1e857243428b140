import { type AskedParts, type NeededAccess, type Reach } from "#contracts/api/access";
import type { Access } from "#domain/access/access";
import { hasRightsOf } from "#domain/access/roles";
import { areaText, coversArea, meetsArea, scopeText, type TokenScope } from "#domain/access/scope";
import { isObject } from "#domain/shared/json";
import { printableText, shortened } from "#domain/shared/shown-text";
import type { ApiError } from "./handler.ts";

/** Returns why a role may not ask for an operation, before its request is read. Undefined if it may. */
export function roleRefusal({ role: needed }: NeededAccess, { role, token }: Access): ApiError | undefined {
  if (hasRightsOf(role, needed)) return undefined;
  return limited(`the token of ${holder(token)} has the role ${role}, and this request needs the role ${needed}`);
}

/** Returns why a token may not send a request with these parts. Undefined if it may. */
export function requestRefusal({ reach }: NeededAccess, asked: AskedParts, access: Access): ApiError | undefined {
  const { scope, token } = access;
  const about = reach(asked);
  if (!isCovered(scope, about)) {
    const area = about.kind === "any" ? "" : areaText(about.area);
    return limited(
      `the token of ${holder(token)} covers ${scopeText(scope)}, and this request needs a token for ${area}`,
    );
  }
  return token === undefined ? undefined : otherPerson(token.name, asked);
}

function isCovered(scope: TokenScope, about: Reach): boolean {
  switch (about.kind) {
    case "any":
      return true;
    case "whole":
      return coversArea(scope, about.area);
    case "part":
      return meetsArea(scope, about.area);
  }
}

/** Returns the refusal of a request that names another person than its token. */
function otherPerson(name: string, { body, query }: AskedParts): ApiError | undefined {
  const [by] = [body, query].flatMap((part) => (isObject(part) ? (part["by"] ?? []) : []));
  if (by === undefined || by === name) return undefined;
  const claimed = typeof by === "string" ? printableText(shortened(by, 100)) : "NAME";
  return {
    kind: "bad-request",
    detail: `--by is what the token proves: ${name}. Leave out --by ${claimed}, or use the token of ${claimed}`,
  };
}

function holder(token: Access["token"]): string {
  return token?.name ?? "this caller";
}

function limited(detail: string): ApiError {
  return { kind: "token-limited", detail: printableText(shortened(detail, 1_000)) };
}
