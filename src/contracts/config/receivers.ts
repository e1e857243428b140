import * as z from "zod";
import { parameterName, secretId } from "./aws.ts";
import { kubernetesName, registryHost, someText, variable } from "./fields.ts";
import { authenticationSchemes, receiverKind, googleTokens, hmacAlgorithms, receiverKinds } from "./receiver-kinds.ts";

const secretKeys = ["secretEnv", "secretFile", "secretParameter", "secretId"] as const;

/** A receiver has its secret in one place, or accepts tokens. */
const oneProof = { oneOf: [...secretKeys, "tokens"].map((key) => ({ required: [key] })) };

const kinds = Object.keys(receiverKinds) as [keyof typeof receiverKinds];

const aHeader = "the name of a header";
const anAddress = "an https:// address";

const Authentication = z
  .strictObject(
    {
      scheme: z
        .enum(authenticationSchemes, authenticationSchemes.join(", "))
        .describe(
          "plain: the secret itself. bearer: Bearer and the secret. basic: the secret is user:password. hmac-sha1, hmac-sha256, hmac-sha512: the hexadecimal HMAC of the body. hmac: the same as <algorithm>=<digits>.",
        ),
      header: z
        .string(aHeader)
        .regex(/^[\w!#$%&'*+.^`|~-]+$/, aHeader)
        .exactOptional()
        .describe("The header with the proof."),
      query: someText("the name of a parameter of the address")
        .exactOptional()
        .describe("The query parameter with the proof, instead of a header: /webhooks/<name>?<query>=…"),
      prefix: z.string("a text").exactOptional().describe("The text before the digits of a signature."),
      algorithms: z
        .array(z.enum(hmacAlgorithms, hmacAlgorithms.join(", ")), "a list of algorithms")
        .min(1, "at least one algorithm")
        .readonly()
        .exactOptional()
        .describe("The accepted algorithms of hmac. Default: sha256."),
    },
    "an authentication with its scheme",
  )
  .refine(
    ({ header, query }) => (header === undefined) !== (query === undefined),
    "needs header or query, and not both",
  )
  .meta({ oneOf: [{ required: ["header"] }, { required: ["query"] }] })
  .readonly();

const Tokens = z
  .strictObject(
    {
      audience: someText("the audience of the tokens").describe("The required aud of a token."),
      email: someText("an account's address")
        .exactOptional()
        .describe("The required account of a token, with a verified address."),
      subject: someText("a subject").exactOptional().describe("The required sub of a token."),
      issuers: z
        .array(someText("an issuer"), "a list of issuers")
        .min(1, "at least one issuer")
        .readonly()
        .prefault([...googleTokens.issuers])
        .describe("The accepted issuers. Default: Google."),
      keys: z
        .url({ protocol: /^https$/, error: anAddress })
        .prefault(googleTokens.keys)
        .describe("The address of the issuer's keys, as a JSON Web Key Set. Default: Google's."),
    },
    "tokens with their audience",
  )
  .refine(
    ({ email, subject }) => (email ?? subject) !== undefined,
    "needs email or subject, because anybody can get a token of the issuer",
  )
  .refine(
    ({ issuers, keys }) => (issuers.join() === googleTokens.issuers.join()) === (keys === googleTokens.keys),
    "needs issuers and keys together, or neither; then Lookout uses Google's",
  )
  .meta({
    anyOf: [{ required: ["email"] }, { required: ["subject"] }],
    dependentRequired: { issuers: ["keys"], keys: ["issuers"] },
  })
  .readonly();

/** An entry of `receivers`. */
export const Receiver = z
  .strictObject(
    {
      name: kubernetesName.describe("The last part of the receiver's path: /webhooks/<name>."),
      kind: z
        .enum(kinds, kinds.join(", "))
        .describe(
          `The sender of the notifications. ${kinds.map((kind) => `${kind}: ${receiverKind(kind).sender}.`).join(" ")}`,
        ),
      registry: registryHost.exactOptional().describe("The registry of pushes without a host."),
      registries: z
        .array(registryHost, "a list of hosts")
        .min(1, "at least one host")
        .readonly()
        .exactOptional()
        .describe("Only pushes to these registries count. Default: pushes to any registry."),
      authentication: Authentication.exactOptional().describe(
        "How requests prove that they know the secret. Default: the usual way of the kind.",
      ),
      tokens: Tokens.exactOptional().describe(
        "The accepted tokens (OpenID Connect, RS256) in Authorization: Bearer, instead of a secret.",
      ),
      secretEnv: variable.exactOptional().describe("The environment variable that holds the secret."),
      secretFile: someText("the path of a file")
        .exactOptional()
        .describe("Path of the file that holds the secret, relative to this file."),
      secretParameter: parameterName.exactOptional().describe("The parameter of SSM that holds the secret."),
      secretId: secretId.exactOptional().describe("The secret of Secrets Manager that holds it."),
    },
    "a receiver with name, kind and the place of its secret",
  )
  .refine(
    (receiver) => [...secretKeys, "tokens" as const].filter((key) => receiver[key] !== undefined).length === 1,
    `needs one of ${secretKeys.join(", ")}, or tokens`,
  )
  .refine(
    ({ authentication, tokens }) => authentication === undefined || tokens === undefined,
    "has tokens, which are always in Authorization; authentication is only for a secret",
  )
  .refine(
    ({ kind, registry }) => receiverKind(kind).namesRegistry !== "never" || registry !== undefined,
    "needs a registry, because notifications of its kind name none",
  )
  .meta(oneProof)
  .readonly();
