import type { AwsRefusal } from "./aws-errors.ts";

/** The existence of a secret, without its value. */
export type Presence =
  | {
      readonly kind: "there";
      /** The key of KMS that encrypts the secret. Absent for the key that AWS manages for the service. */
      readonly key?: string;
    }
  | { readonly kind: "missing" }
  | AwsRefusal;

/** Returns a present secret with its key, if the key is not the one of this alias. */
export function thereWithKey(key: string | undefined, managed: string): Presence {
  return key === undefined || key === "" || key.endsWith(managed) ? { kind: "there" } : { kind: "there", key };
}
