import type { AwsRefusal } from "./aws-errors.ts";

/** Whether a secret exists; its value is not read. */
export type Presence = { readonly kind: "there" } | { readonly kind: "missing" } | AwsRefusal;
