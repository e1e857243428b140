import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { roles } from "#domain/access/roles";
import { kubernetesName } from "../config/fields.ts";
import { answered, body } from "./operation.ts";
import { EndQuery, instant, list, request, view, why } from "./schema.ts";

const aNamespace = "expected the name of a namespace; a * at the end stands for any text";

/** The names of Lookout and of requests without a name, which histories show. */
const reserved: ReadonlySet<string> = new Set(["lookout", "api"]);
const notForPeople = `expected the name of a person or a program, and not ${[...reserved].join(" or ")}`;

const scope = {
  clusters: z
    .array(kubernetesName)
    .min(1, "expected at least one cluster")
    .readonly()
    .exactOptional()
    .describe("The clusters that the token covers. Default: all clusters."),
  namespaces: z
    .array(z.string(aNamespace).regex(/^[a-z0-9][a-z0-9-]{0,62}\*?$/, aNamespace))
    .min(1, "expected at least one namespace")
    .readonly()
    .exactOptional()
    .describe("The namespaces that the token covers. A * at the end stands for any text. Default: all namespaces."),
};

const token = {
  name: z.string().describe("The name of the holder."),
  id: z.string().describe("The first twelve digits of the token's SHA-256."),
  role: z.enum(roles),
  ...scope,
};

export const TokenView = view("Token", "A personal token, without its secret.", {
  ...token,
  createdBy: z.string(),
  createdAt: instant,
  expiresAt: instant.exactOptional().describe("Absent if the token never expires."),
  revokedAt: instant.exactOptional(),
  lastUsedAt: instant.exactOptional().describe("The last use, exact to a day. Absent if the token was never used."),
});
/** A personal token, without its secret. */
export type TokenView = z.output<typeof TokenView>;

export const TokensView = view("Tokens", "The personal tokens, sorted by name.", {
  at: instant,
  tokens: list(TokenView),
});
/** The personal tokens, sorted by name. */
export type TokensView = z.output<typeof TokensView>;

export const CreatedTokenView = view("CreatedToken", "A new token. No other answer contains its text.", {
  ...TokenView.unwrap().shape,
  text: z.string().describe("The token, for the header `Authorization: Bearer`."),
});
/** A new token with its text. */
export type CreatedTokenView = z.output<typeof CreatedTokenView>;

export const TokenRequest = request("TokenRequest", "Makes a token.", {
  name: kubernetesName
    .refine((name) => !reserved.has(name), notForPeople)
    .describe("The name of the holder, which appears in histories and votes."),
  role: z.enum(roles).describe("Each role has the rights of the roles before it."),
  ...scope,
  expiresAt: z.iso
    .datetime({ offset: true })
    .exactOptional()
    .describe("The end of the token. Absent if it never expires."),
  why,
});
/** Makes a token. */
export type TokenRequest = z.output<typeof TokenRequest>;

export const tokenOperations = {
  listTokens: createRoute({
    method: "get",
    path: "/v1/tokens",
    summary: "lists personal tokens, without their secrets",
    responses: answered(TokensView, 501),
  }),
  createToken: createRoute({
    method: "post",
    path: "/v1/tokens",
    summary: "makes a personal token with a role, and returns it once",
    request: { body: body(TokenRequest) },
    responses: answered(CreatedTokenView, 400, 404, 409, 413, 501),
  }),
  revokeToken: createRoute({
    method: "delete",
    path: "/v1/tokens/{token}",
    summary: "revokes a personal token",
    request: {
      query: EndQuery,
      params: z.object({ token: z.string().describe("The name or the id of the token.") }),
    },
    responses: answered(TokenView, 400, 404, 409, 501),
  }),
} as const;
