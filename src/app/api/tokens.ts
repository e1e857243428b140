import type { CreatedTokenView, TokenRequest, tokenOperations, TokensView, TokenView } from "#contracts/api/tokens";
import { scopeText } from "#domain/access/scope";
import { type AccessToken, marksOfToken, usable, writtenToken } from "#domain/access/token";
import type { Asker } from "#domain/approval/asker";
import { nearest } from "#domain/shared/nearest";
import { printableText, shortened } from "#domain/shared/shown-text";
import { epochMs, type EpochMs, toIso } from "#domain/shared/time";
import type { AccessTokens } from "#ports/access-tokens";
import type { Ports } from "../shared/ports.ts";
import { noteAct } from "../shared/acts.ts";
import { askerOf } from "./asker.ts";
import { type ApiError, type Handlers, notFound, type Served } from "./handler.ts";

/** Returns the handlers for personal tokens. */
export function tokenHandlers(served: Served): Handlers<typeof tokenOperations> {
  const { ports, secret, by } = served;
  const { tokens } = ports;
  if (tokens === undefined) return { listTokens: notOnAws, createToken: notOnAws, revokeToken: notOnAws };
  return {
    listTokens: async () => listTokens(tokens, ports),
    createToken: ({ body: { why, ...body } }) => {
      const asker = askerOf(served, owner, why);
      return createToken(body, { secret: secret(), createdBy: by(owner), asker }, tokens, ports);
    },
    revokeToken: ({ params, query }) =>
      revokeToken(params.token, askerOf(served, query.by ?? owner, query.why), tokens, ports),
  };
}

/** The sender of a request with the token of the state folder. */
const owner = "the state folder";

function notOnAws(): ApiError {
  return {
    kind: "not-here",
    detail: "IAM proves the callers of a stack, so it has no personal tokens: give rights with policies of IAM",
  };
}

async function listTokens(tokens: AccessTokens, { clock }: Ports): Promise<TokensView> {
  return { at: toIso(clock.now()), tokens: (await tokens.list()).map(tokenView) };
}

/** Makes a token. A revoked or expired token gives its name to the new token. */
async function createToken(
  request: Omit<TokenRequest, "why">,
  { secret, createdBy, asker }: { readonly secret: string; readonly createdBy: string; readonly asker: Asker },
  tokens: AccessTokens,
  ports: Ports,
): Promise<CreatedTokenView | ApiError> {
  const now = ports.clock.now();
  const wrong = requestProblem(request, now, ports.clusters.names());
  if (wrong !== undefined) return wrong;
  const { expiresAt, ...asked } = request;
  const text = writtenToken(request.name, secret);
  const token: AccessToken = {
    ...{ ...asked, ...marksOfToken(text), createdBy, createdAt: now },
    ...(expiresAt === undefined ? {} : { expiresAt: epochMs(Date.parse(expiresAt)) }),
  };
  const before = await tokens.read(request.name);
  const isTaken = before !== undefined && usable(before, now).ok;
  if (isTaken || !(await tokens.replace(before, token))) return nameTaken(request.name);
  await noteAct({ what: "create-token", at: now, subject: token.name, detail: rightsOf(token) }, asker, ports);
  return { ...tokenView(token), text };
}

function rightsOf({ id, role, clusters, namespaces }: AccessToken): string {
  const scope = { ...(clusters && { clusters }), ...(namespaces && { namespaces }) };
  return `token ${id}: ${role} of ${scopeText(scope)}`;
}

/** Returns why no token can be made for a request; undefined if it can. */
function requestProblem(
  { role, clusters, namespaces, expiresAt }: Omit<TokenRequest, "why">,
  now: EpochMs,
  known: readonly string[],
): ApiError | undefined {
  if (role === "owner" && (clusters ?? namespaces) !== undefined)
    return badRequest("an owner owns the whole fleet: leave out the clusters and namespaces, or choose another role");
  const unknown = clusters?.find((cluster) => !known.includes(cluster));
  if (unknown !== undefined) return notFound(`no cluster is called ${unknown}${suggestion(unknown, known)}`);
  return expiresAt !== undefined && Date.parse(expiresAt) <= now
    ? badRequest(`the end of the token, ${expiresAt}, is in the past`)
    : undefined;
}

/** Revokes the token with a name or an id. */
async function revokeToken(
  named: string,
  asker: Asker,
  tokens: AccessTokens,
  ports: Ports,
): Promise<TokenView | ApiError> {
  const all = await tokens.list();
  const token = all.find(({ name }) => name === named) ?? all.find(({ id }) => id === named);
  const shown = printableText(shortened(named, 100));
  if (token === undefined)
    return notFound(
      `no token has the name or id ${shown}${suggestion(
        named,
        all.map(({ name }) => name),
      )}`,
    );
  const revoked = { ...token, revokedAt: token.revokedAt ?? ports.clock.now() };
  const isRevoked = token.revokedAt !== undefined || (await tokens.replace(token, revoked));
  // An earlier request may have ended before it stored this row, which is stored once.
  const act = {
    what: "revoke-token",
    at: revoked.revokedAt,
    subject: token.name,
    detail: `token ${token.id}`,
  } as const;
  if (isRevoked) await noteAct(act, asker, ports);
  if (isRevoked) return tokenView(revoked);
  return { kind: "try-again", detail: `the token ${token.name} has changed meanwhile; try again` };
}

/** Returns the view of a token, without its hash. */
export function tokenView({ hash: _, createdAt, expiresAt, revokedAt, lastUsedAt, ...token }: AccessToken): TokenView {
  return {
    ...token,
    createdAt: toIso(createdAt),
    ...(expiresAt === undefined ? {} : { expiresAt: toIso(expiresAt) }),
    ...(revokedAt === undefined ? {} : { revokedAt: toIso(revokedAt) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: toIso(lastUsedAt) }),
  };
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function badRequest(detail: string): ApiError {
  return { kind: "bad-request", detail };
}

function nameTaken(name: string): ApiError {
  return {
    kind: "token-exists",
    detail: `${name} has a token already: choose another name, or first revoke it: lookout token revoke ${name}`,
  };
}
