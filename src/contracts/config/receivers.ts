import * as z from "zod";
import { kubernetesName, registryHost, someText } from "./fields.ts";
import { authenticationSchemes, receiverKind, googleTokens, hmacAlgorithms, receiverKinds } from "./receiver-kinds.ts";
import { secretFields } from "./secret-fields.ts";
import { receiverSecret, secretKeys } from "./secret-places.ts";

const keys = secretKeys(receiverSecret);

/** The JSON Schema of a receiver's proof: one place of a secret, or tokens. */
const oneProof = { oneOf: [...keys, "tokens"].map((key) => ({ required: [key] })) };

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
    "needs email or subject, because anybody can get a token from the issuer",
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

/** The schema of an entry of `receivers`. */
export const Receiver = z
  .strictObject(
    {
      name: kubernetesName.describe("The last part of the receiver's path: /webhooks/<name>."),
      kind: z
        .enum(kinds, kinds.join(", "))
        .describe(
          `The sender of the notifications. ${kinds.map((kind) => `${kind}: ${receiverKind(kind).sender}.`).join(" ")}`,
        ),
      registry: registryHost.exactOptional().describe("The registry of notifications that name no host."),
      registries: z
        .array(registryHost, "a list of hosts")
        .min(1, "at least one host")
        .readonly()
        .exactOptional()
        .describe("The registries whose pushes count. Default: any registry."),
      authentication: Authentication.exactOptional().describe(
        "The proof that a request knows the secret. Default: the usual proof of the kind.",
      ),
      tokens: Tokens.exactOptional().describe(
        "The tokens that the receiver accepts instead of a secret: OpenID Connect with RS256, in Authorization: Bearer.",
      ),
      ...secretFields(receiverSecret, {
        variable: "The environment variable that holds the secret.",
        file: "The path of the file that holds the secret, relative to lookout.yaml.",
        parameter: "The SSM parameter that holds the secret.",
        secret: "The secret in Secrets Manager that holds the receiver's secret.",
      }),
    },
    "a receiver with name, kind and the place of its secret",
  )
  .refine(
    (receiver) => [...keys, "tokens" as const].filter((key) => receiver[key] !== undefined).length === 1,
    `needs one of ${keys.join(", ")}, or tokens`,
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
