import type { AwsRefusal } from "./aws-errors.ts";

/** The existence of a secret, without its value. */
export type Presence = { readonly kind: "there" } | { readonly kind: "missing" } | AwsRefusal;
