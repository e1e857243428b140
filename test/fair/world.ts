/** The secret of the receiver. */
export const secret = "the secret of this attack, which is long";

/** What the parent tells: the victim's host, the hostile hosts, and how they are used. */
export interface FairWorld {
  readonly victimHost: string;
  readonly hostileHosts: readonly string[];
  readonly namespaces: number;
  readonly deployments: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What the process tells. */
export type FairNews =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "patched"; readonly image: string }
  | {
      readonly kind: "stopped";
      readonly memoryMb: number;
      readonly failures: readonly string[];
    };
