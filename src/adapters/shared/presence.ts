import type { AwsRefusal } from "./aws-errors.ts";

/** Whether something is where it is looked for, whatever it says. */
export type Presence = { readonly kind: "there" } | { readonly kind: "missing" } | AwsRefusal;
